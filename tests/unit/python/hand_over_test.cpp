// Batches from the user's Python into the harness, and from the harness into the user's step, with
// the real child.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>

#include "harness/part/device.h"
#include "harness/part/null_meter.h"
#include "harness/pipeline/supply.h"
#include "tests/unit/python/user_code.h"

namespace benchbench::test {
namespace hand_over_scenes {

// The loader as a trial makes it.
class Line {
 public:
  Line(const GivenSettings& settings, std::uint32_t workers = 0, std::uint32_t trainer_holds = 0,
       std::uint32_t threads = 0) {
    external_.keys.num_workers = workers;
    external_.intra_op_threads = threads;
    external_.look = [this] {
      if (stop) throw InterruptedError("stopped");
    };
    loader_ = python_maker(PartKind::loader)
                  .loader({.settings = settings,
                           .dataset = {},
                           .batch_size = 4,
                           .num_workers = workers,
                           .external = &external_});
    supply_ = std::make_unique<Supply>(SupplyOptions{.num_workers = workers,
                                                     .batch_size = 4,
                                                     .max_jobs = 2,
                                                     .drop_last = false,
                                                     .trainer_holds = trainer_holds,
                                                     .meters = {}},
                                       *loader_, sampler_, *device_, *runtime_);
    supply_->start();
  }
  Supply& supply() { return *supply_; }
  Loader& loader() { return *loader_; }
  BatchLease get() { return supply_->get({}); }

  bool stop = false;

 private:
  struct NoOrder final : Sampler {
    std::uint64_t samples_per_epoch() const noexcept override { return 1; }
    void begin(Epoch, std::span<SampleId>) override { FAIL("the sampler was asked"); }
  };
  std::unique_ptr<Runtime> runtime_ = make_real_runtime(Nanoseconds{0});
  std::unique_ptr<Device> device_ = make_cpu_device();
  ExternalTerms external_;
  NoOrder sampler_;
  std::unique_ptr<Loader> loader_;
  std::unique_ptr<Supply> supply_;
};

// Batch `i` of an epoch of Rows, in whatever order a dict is.
void check_rows(const BatchLease& batch, std::uint64_t i, std::uint64_t rows) {
  REQUIRE(batch.samples().value == rows);
  REQUIRE(batch.tensors().size() == 2);
  const auto& x = batch.tensors()[0];
  CHECK(std::string_view(x.spec.name) == "x");
  for (std::size_t at = 0; at < rows * 6; ++at) {
    float value = 0;
    std::memcpy(&value, x.data + at * sizeof value, sizeof value);
    REQUIRE(value == static_cast<float>(i));
  }
  for (std::size_t row = 0; row < rows; ++row) {
    std::int64_t id = 0;
    std::memcpy(&id, batch.tensors()[1].data + row * sizeof id, sizeof id);
    CHECK(id == static_cast<std::int64_t>(4 * i + row));
  }
  CHECK(batch.ids().empty());
}

TEST_CASE("hand-over: batches arrive as they were made, epoch after epoch, with a shorter last one",
          "[unit][python]") {
  NEEDS_PACKAGE("numpy");
  const UserCode code;
  GivenSettings settings = code.call("make_rows");
  settings.set("args.batches", std::int64_t{3});
  settings.set("args.last", std::int64_t{2});
  Line line(settings, GENERATE(0u, 2u));
  CHECK(line.loader().own_rows() == 4);
  CHECK(line.loader().spec().count == 2);
  CHECK(line.loader().spec().tensor[0].row == Shape{{2, 3}, 2});
  std::set<const std::byte*> places;
  for (std::uint64_t b = 0; b < 9; ++b) {
    const BatchLease batch = line.get();
    check_rows(batch, b % 3, b % 3 == 2 ? 2 : 4);
    CHECK(batch.epoch() == b / 3);
    CHECK(batch.batch() == b);
    places.insert(batch.tensors()[0].data);
  }
  CHECK(places.size() <= 2);  // slots are written again
  line.supply().stop();
  const auto result = line.loader().external_result();
  REQUIRE(result.has_value());
  CHECK(result->facts.way == ExternalWay::hand_over);
  CHECK(result->facts.loader_call == "train.py:make_rows");
  CHECK(result->facts.kind == "iterable");
  CHECK(result->facts.versions.find("Python 3") == 0);
  CHECK(result->facts.interpreter.starts_with("/"));
  CHECK(result->facts.spawn_ns.value_or(0) > 0);
  CHECK(result->epochs >= 2);
  CHECK(result->startup_ns >= 0);
  CHECK(result->first_batch_ns > 0);
  // The batch size was not given.
  for (const std::string& notice : result->notices)
    CHECK(notice.find("batch_size") == std::string::npos);
}

// The bytes of a batch stay while it is held, whatever the process does meanwhile.
TEST_CASE("hand-over: a slot is not written before it is given back", "[unit][python]") {
  NEEDS_PACKAGE("numpy");
  const UserCode code;
  Line line(code.call("make_rows"), 2);
  BatchLease first = line.get();
  BatchLease second = line.get();  // the process has no free slot now
  check_rows(first, 0, 4);
  check_rows(second, 1, 4);
  first.drop();
  const BatchLease third = line.get();
  check_rows(second, 1, 4);
  check_rows(third, 2, 4);
  line.supply().stop();
  check_rows(third, 2, 4);  // a lease outlives the workers
}

TEST_CASE("hand-over: the batch that mode trainer repeats is the user's", "[unit][python]") {
  NEEDS_PACKAGE("numpy");
  const UserCode code;
  const GivenSettings settings = code.call("make_rows");
  const auto loader =
      python_maker(PartKind::loader).loader({.settings = settings, .dataset = {}, .batch_size = 6});
  const auto runtime = make_real_runtime(Nanoseconds{0});
  const auto worker = loader->worker(0, *runtime);
  const BatchSpec spec = loader->spec();
  std::vector<float> x(6 * 6);
  std::vector<std::int64_t> ids(6);
  const TensorView views[] = {
      {.spec = spec.tensor[0], .rows = 6, .data = reinterpret_cast<std::byte*>(x.data())},
      {.spec = spec.tensor[1], .rows = 6, .data = reinterpret_cast<std::byte*>(ids.data())}};
  const std::vector<SampleRef> samples(6);
  NullMeter meter;
  worker->fill({.samples = samples, .rows = RowSpan(views, 0, 6)}, meter);
  CHECK(ids == std::vector<std::int64_t>{0, 1, 2, 3, 4, 5});  // of two batches of four
  CHECK(x[23] == 0);
  CHECK(x[24] == 1);
}

TEST_CASE("hand-over: what the user's loader raises comes out of get, with its traceback",
          "[unit][python]") {
  NEEDS_PACKAGE("numpy");
  const UserCode code;
  Line line(code.call("make_broken"));
  for (int b = 0; b < 3; ++b) line.get();
  try {
    line.get();
    FAIL("nothing was thrown");
  } catch (const PartError& error) {
    CHECK(error.message().find("image 3 is broken") != std::string_view::npos);
    CHECK(error.message().find("train.py:") != std::string_view::npos);
    CHECK(error.details().find("in decode") != std::string_view::npos);
    CHECK(error.details().find("benchbench_dl") == std::string_view::npos);
    CHECK(error.details().find("about to break") != std::string_view::npos);
  }
}

TEST_CASE("hand-over: a batch that never comes is no reason not to stop", "[unit][python]") {
  NEEDS_PACKAGE("numpy");
  const UserCode code;
  Line line(code.call("make_stuck"), 1);
  line.get();
  line.stop = true;
  CHECK_THROWS_AS(line.get(), InterruptedError);
}

TEST_CASE("hand-over: what can be no batch of the harness is refused before it starts",
          "[unit][python]") {
  NEEDS_PACKAGE("numpy");
  const UserCode code(
      "import numpy as np\ndef words():\n    return [['a', 'b']]\ndef doubles():\n    return "
      "[np.zeros((2, 2))] * 3\ndef nothing():\n    return []\n");
  CHECK_THROWS_AS(Line(code.call("words")), ScenarioError);
  CHECK_THROWS_WITH(Line(code.call("doubles")), Catch::Contains("is of type float64"));
  CHECK_THROWS_AS(Line(code.call("nothing")), Error);
  CHECK_THROWS_AS(Line(code.call("make_data")), ScenarioError);
}

// Else a loader without workers would work during the step, which PyTorch's does not.
TEST_CASE("hand-over: without workers a batch is made when it is asked for", "[unit][python]") {
  NEEDS_PACKAGE("numpy");
  const UserCode code;
  const ScriptFolder folder;
  GivenSettings settings = code.call("make_looking");
  settings.set("args.file", folder.write("now", "0"));
  Line line(settings);
  for (int step = 0; step < 20; ++step) {
    folder.write("now", std::to_string(step));
    const BatchLease batch = line.get();
    float seen = 0;
    std::memcpy(&seen, batch.tensors()[0].data, sizeof seen);
    CHECK(seen == static_cast<float>(step));
  }
}

TEST_CASE("hand-over: there is room for the batches that a trainer keeps", "[unit][python]") {
  NEEDS_PACKAGE("numpy");
  const UserCode code;
  Line line(code.call("make_rows"), GENERATE(0u, 1u), 2);
  std::vector<BatchLease> kept;
  for (int b = 0; b < 3; ++b) kept.push_back(line.get());
  for (std::uint64_t b = 0; b < 3; ++b) check_rows(kept[b], b, 4);
  kept.erase(kept.begin());
  kept.push_back(line.get());
  for (std::uint64_t b = 0; b < 3; ++b) check_rows(kept[b], b + 1, 4);
}

TEST_CASE("hand-over: a loader has one source after the other, each from the first batch on",
          "[unit][python]") {
  NEEDS_PACKAGE("numpy");
  const UserCode code;
  const GivenSettings settings = code.call("make_rows");
  const auto loader =
      python_maker(PartKind::loader)
          .loader({.settings = settings, .dataset = {}, .batch_size = 4, .num_workers = 1});
  const auto runtime = make_real_runtime(Nanoseconds{0});
  struct NoRequests final : RequestFeed {
    BatchRequest next() override { throw PartError("a request was taken"); }
  } none;
  for (int times = 0; times < 2; ++times) {
    const auto source = loader->source({.runtime = *runtime, .requests = none, .num_workers = 1});
    for (BatchNumber b = 0; b < 3; ++b) {
      const SourceBatch batch = source->next();
      CHECK(batch.batch == b);
      source->give_back(batch);
    }
  }
}

// As where it is timed by itself: else the two would be of different threads.
TEST_CASE("hand-over: torch has as many threads in the loader's process as the trial says",
          "[unit][python]") {
  NEEDS_PACKAGE("torch");
  const UserCode code(
      "import numpy as np, torch\ndef threads():\n    while True:\n        yield np.full(4, "
      "torch.get_num_threads())\n");
  Line line(code.call("threads"), 0, 0, 3);
  std::int64_t threads = 0;
  std::memcpy(&threads, line.get().tensors()[0].data, sizeof threads);
  CHECK(threads == 3);
  line.supply().stop();
  const auto result = line.loader().external_result();
  CHECK(std::ranges::any_of(result->notices, [](const std::string& n) {
    return n.starts_with("torch runs with 3 threads");
  }));
}

// --- deaths

// A script that leaves a process in a session of its own and is killed at `when`.
std::string dying_at(const std::string& when, const std::string& file) {
  return "WHEN, FILE = '" + when + "', '" + file + "'" + R"(
import os, signal, subprocess
import numpy as np
open(FILE, "w").write(str(subprocess.Popen(["sleep", "600"], start_new_session=True).pid))
def at(moment):
    if moment == WHEN:
        os.kill(os.getpid(), signal.SIGKILL)
at("import")
def batches():
    try:
        for i in range(100):
            at({0: "first", 2: "third"}.get(i))
            yield np.zeros((4, 2), np.float32)
    finally:
        at("end")
def make_data():
    at("call")
    return batches()
def setup(device):
    at("setup")
def step(batch):
    at("step")
)";
}

int sleeper_in(const ScriptFolder& folder) {
  int pid = 0;
  std::ifstream(folder.path() + "/pid") >> pid;
  REQUIRE(pid > 0);
  return pid;
}

TEST_CASE("hand-over: a loader that is killed at any message is said to be, and leaves nothing",
          "[unit][python]") {
  NEEDS_PACKAGE("numpy");
  const auto [when, doing] =
      GENERATE(table<const char*, const char*>({{"import", "was loading the user's code"},
                                                {"call", "was loading the user's code"},
                                                {"first", "was making the first batch"},
                                                {"third", "was making a batch"}}));
  const ScriptFolder folder;
  const UserCode code(dying_at(when, folder.path() + "/pid"));
  const auto three_batches = [&] {
    Line line(code.call("make_data"), GENERATE(0u, 1u));
    for (int b = 0; b < 3; ++b) line.get();
  };
  CHECK_THROWS_WITH(three_batches(), Catch::Contains("the Python process was killed by SIGKILL") &&
                                         Catch::Contains(doing));
  CHECK(ends_soon(sleeper_in(folder)));
}

TEST_CASE(
    "hand-over: a loader that is killed as it ends takes nothing of what was measured with it",
    "[unit][python]") {
  NEEDS_PACKAGE("numpy");
  const ScriptFolder folder;
  const UserCode code(dying_at("end", folder.path() + "/pid"));
  {
    Line line(code.call("make_data"));
    for (int b = 0; b < 3; ++b) line.get();
    line.supply().stop();
    CHECK(line.loader().external_result()->facts.loader_call == "train.py:make_data");
  }
  CHECK(ends_soon(sleeper_in(folder)));
}

// --- into the user's step

BatchSpec images() {
  BatchSpec spec;
  spec.count = 2;
  spec.tensor[0] = {.name = "image", .dtype = DType::uint8, .row = {{4, 5, 3}, 3}};
  spec.tensor[1] = {.name = "label", .dtype = DType::int64, .row = {}};
  return spec;
}

struct OneSlot final : SlotOwner {
  explicit OneSlot(std::uint64_t rows) : bytes(rows * 60, std::byte{2}), labels(rows, 7) {
    const BatchSpec spec = images();
    slot.tensor_count = 2;
    slot.samples = rows;
    slot.tensors[0] = {
        .spec = spec.tensor[0], .rows = static_cast<std::int64_t>(rows), .data = bytes.data()};
    slot.tensors[1] = {.spec = spec.tensor[1],
                       .rows = static_cast<std::int64_t>(rows),
                       .data = reinterpret_cast<std::byte*>(labels.data())};
  }
  void give_back(BatchSlot&) noexcept override { ++given_back; }
  std::vector<std::byte> bytes;
  std::vector<std::int64_t> labels;
  BatchSlot slot;
  int given_back = 0;
};

class Course {
 public:
  explicit Course(const GivenSettings& settings, std::uint32_t threads = 0) {
    external_.root = "/the/data";
    external_.look = [this] {
      if (stop) throw InterruptedError("stopped");
    };
    trainer_ = python_maker(PartKind::trainer)
                   .trainer({.settings = settings,
                             .batch = images(),
                             .batch_size = 8,
                             .intra_op_threads = threads,
                             .runtime = *runtime_,
                             .device = *device_,
                             .external = &external_});
  }
  double step(std::uint64_t rows) {
    OneSlot slot(rows);
    StepContext context{.step = 0, .meter = meter_};
    try {
      trainer_->step(BatchLease(slot.slot, slot), context);
    } catch (...) {
      CHECK(slot.given_back == 1);
      throw;
    }
    CHECK(slot.given_back == 1);
    return trainer_->loss();
  }
  Trainer& trainer() { return *trainer_; }
  bool stop = false;

 private:
  std::unique_ptr<Runtime> runtime_ = make_real_runtime(Nanoseconds{0});
  std::unique_ptr<Device> device_ = make_cpu_device();
  ExternalTerms external_;
  NullMeter meter_;
  std::unique_ptr<Trainer> trainer_;
};

// A step that counts the rows and itself, and raises at a batch of one row.
constexpr char kStepScript[] = R"(
import torch
torch.set_num_threads(1)

def setup(device):
    return {"steps": 0}

def step(batch, state):
    x, label = batch
    assert tuple(x.shape[1:]) == (3, 4, 5), x.shape
    state["steps"] += 1
    if len(label) == 1:
        raise RuntimeError("the step broke")
    return float(x.sum()) + 1000 * float(label.sum()) + 1000000 * state["steps"]
)";

// What one process of it said, made at the first call: torch takes it a second to import.
struct StepsOverThere {
  double before, of_eight, of_three;
  std::string raised;
  ExternalResult result;
};
const StepsOverThere& steps_over_there() {
  static const StepsOverThere said = [] {
    const UserCode code(kStepScript);
    GivenSettings settings = code.call("step");
    settings.set("setup", std::string("setup"));
    Course course(settings, 2);
    StepsOverThere made{.before = course.trainer().loss(),
                        .of_eight = course.step(8),
                        .of_three = course.step(3),
                        .raised = {},
                        .result = {}};
    try {
      course.step(1);
    } catch (const PartError& error) {
      made.raised = error.what();
    }
    made.result = course.trainer().external_result().value();
    CHECK_NOTHROW(course.trainer().external_result());
    return made;
  }();
  return said;
}

TEST_CASE(
    "hand-over: the user's step gets every row of the batch, channels first, and setup's state, "
    "and its loss comes back",
    "[unit][python]") {
  NEEDS_PACKAGE("torch");
  const StepsOverThere& said = steps_over_there();
  CHECK(std::isnan(said.before));
  CHECK(said.of_eight == 8 * 60 * 2 + 1000 * 8 * 7 + 1000000);
  CHECK(said.of_three == 3 * 60 * 2 + 1000 * 3 * 7 + 2000000);  // a last batch
  CHECK(said.result.facts.trainer_call == "train.py:step");
  CHECK(said.result.facts.way == ExternalWay::hand_over);
}

TEST_CASE(
    "hand-over: the user's step gets a dict by the names that are given, and setup the data's "
    "folder",
    "[unit][python]") {
  NEEDS_PACKAGE("torch");
  const UserCode code(R"(
def setup(device, root):
    return root

def step(batch, root):
    assert root == "/the/data" and list(batch) == ["pixel_values", "labels"], (root, batch)
    return float(batch["labels"].sum())
)");
  GivenSettings settings = code.call("step");
  settings.set("setup", std::string("setup"));
  settings.set("batch_keys", std::string("pixel_values, labels"));
  settings.set(std::string(kOwnBatch), std::string(R"({"form": "dict", "members": [
      {"name": "pixel_values", "dtype": "uint8", "shape": [3, 4, 5], "channels_last": true},
      {"name": "labels", "dtype": "int64", "shape": [], "channels_last": false}]})"));
  CHECK(Course(settings).step(8) == 8 * 7);
  settings.set("batch_keys", std::string("pixel_values, label"));
  CHECK_THROWS_WITH(Course(settings),
                    Catch::Contains("batches of this loader are not like those of yours") &&
                        Catch::Contains("a dict of 'pixel_values', 'labels'"));
}

TEST_CASE("hand-over: a batch stays where it is until as many more came as may be in flight",
          "[unit][python]") {
  NEEDS_PACKAGE("torch");
  const UserCode code(R"(
places = []

def step(batch):
    places.append(batch[0].data_ptr())
    return float(len(set(places)) + 10 * (places[-1] == places[-4:][0]))
)");
  Course course(code.call("step"));
  for (const double places : {11, 2, 3, 13}) CHECK(course.step(8) == places);
}

TEST_CASE("hand-over: that the step's process has other threads than the script is in the notices",
          "[unit][python]") {
  NEEDS_PACKAGE("torch");
  CHECK(steps_over_there().result.notices ==
        std::vector<std::string>{
            "torch runs with 2 threads, as trainer.intra_op_threads says; your script had 1"});
}

TEST_CASE("hand-over: what the user's step raises ends it, and the lease is given back",
          "[unit][python]") {
  NEEDS_PACKAGE("torch");
  CHECK_THAT(steps_over_there().raised, Catch::Contains("the step broke"));
}

TEST_CASE("hand-over: a step that is killed at any message is said to be, and leaves nothing",
          "[unit][python]") {
  NEEDS_PACKAGE("numpy");
  const auto [when, doing] =
      GENERATE(table<const char*, const char*>({{"import", "was loading the user's code"},
                                                {"setup", "was setting up the step"},
                                                {"step", "was in the step"}}));
  const ScriptFolder folder;
  const UserCode code(dying_at(when, folder.path() + "/pid"));
  GivenSettings settings = code.call("step");
  settings.set("setup", std::string("setup"));
  CHECK_THROWS_WITH(
      Course(settings).step(2),
      Catch::Contains("the Python process was killed by SIGKILL") && Catch::Contains(doing));
  CHECK(ends_soon(sleeper_in(folder)));
}

}  // namespace hand_over_scenes
}  // namespace benchbench::test
