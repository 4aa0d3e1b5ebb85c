// Trials that are all over there, with the real child.
#include <signal.h>

#include "harness/core/cpu_limit.h"
#include "scenarios/python/interpreter.h"
#include "scenarios/python/kept_child.h"
#include "tests/sweep.h"
#include "tests/unit/python/user_code.h"

namespace benchbench::test {
namespace session_scenes {

using namespace python_part;
using std::chrono::milliseconds;

std::int64_t now_ns() { return std::chrono::steady_clock::now().time_since_epoch().count(); }

// Hears everything, and does something at each look and at the begin of each segment.
class Heard final : public ExternalListener {
 public:
  void progressed(ExternalPhase phase, double share, double,
                  std::span<const int> workers) override {
    CHECK((share >= 0 && share <= 1));
    last = phase;
    note(workers);
  }
  void segment_begins(std::span<const int> workers) override {
    begins.push_back(now_ns());
    note(workers);
    if (at_begin) at_begin();
  }
  void segment_ends() override { ends.push_back(now_ns()); }
  void look() override {
    ++looks;
    if (at_look) at_look();
  }

  std::vector<std::int64_t> begins, ends;
  std::vector<int> workers_seen;
  ExternalPhase last = ExternalPhase::starting;
  int looks = 0;
  std::function<void()> at_look, at_begin;

 private:
  void note(std::span<const int> workers) {
    workers_seen.insert(workers_seen.end(), workers.begin(), workers.end());
  }
};

struct Asked {
  const GivenSettings* loader = nullptr;
  const GivenSettings* trainer = nullptr;
  ExternalWay way = ExternalWay::self_timed;
  ExternalLoaderKeys keys = {};
  std::uint32_t window_batches = 5;
  bool shares = false;
};

std::unique_ptr<ExternalSession> session(const Asked& asked, Nanoseconds timeout = kHang) {
  const ExternalOrder order{.loader = asked.loader,
                            .trainer = asked.trainer,
                            .way = asked.way,
                            .keys = asked.keys,
                            .root = {},
                            .rate = {},
                            .window = milliseconds{200},
                            .window_batches = asked.window_batches,
                            .warmup = milliseconds{50},
                            .warmup_cap = {},
                            .timeout = timeout,
                            .shares = asked.shares};
  return python_maker(PartKind::loader).external.session(order);
}

struct Ran {
  Heard heard;
  ExternalResult result;
  std::int64_t began = 0, ended = 0;
  explicit Ran(const Asked& asked) {
    const auto made = session(asked);
    made->start(heard);
    CHECK(made->pid() > 0);
    began = now_ns();
    result = made->run(heard);
    ended = now_ns();
  }
};

// Both sides read one clock: what causes another thing is before it.
void check_consistent(const Ran& ran) {
  const ExternalResult& r = ran.result;
  REQUIRE_FALSE(r.segments.empty());
  REQUIRE(r.segments.size() == ran.heard.begins.size());
  REQUIRE(r.segments.size() == ran.heard.ends.size());
  std::int64_t before = ran.began;
  for (std::size_t i = 0; i < r.segments.size(); ++i) {
    CHECK(before <= r.segments[i].first);
    CHECK(r.segments[i].first < r.segments[i].second);
    CHECK(r.segments[i].second <= ran.heard.ends[i]);
    CHECK(ran.heard.begins[i] <= ran.heard.ends[i]);
    before = ran.heard.ends[i];  // the child goes on once its end was seen
  }
  CHECK(before <= ran.ended);
  CHECK(r.steps >= 5);
  CHECK(r.get_ns.size() == r.steps);
}

TEST_CASE("session: a loader is timed by itself, and its batches are at the pace that it has",
          "[unit][python]") {
  NEEDS_PACKAGE("numpy");
  const UserCode code;
  GivenSettings loader = code.call("make_rows");
  loader.set("args.batches", std::int64_t{1000});
  loader.set("args.wait", 0.01);
  const Ran ran({.loader = &loader});
  check_consistent(ran);
  const ExternalResult& r = ran.result;
  CHECK(r.step_ns.empty());
  CHECK(r.samples == 4 * r.steps);
  for (const std::int64_t get : r.get_ns) CHECK(get >= 9'000'000);
  CHECK(r.facts.way == ExternalWay::self_timed);
  CHECK(r.facts.kind == "iterable");
  CHECK(r.facts.spawn_ns.value_or(0) > 0);
  CHECK(r.facts.import_ns.value_or(-1) >= 0);
  CHECK(ran.heard.looks > 0);
}

// Waits in its 16th batch for a file. The warm-up of 50 ms ends before that, since each takes 10 ms
// or more, and a window of 20 batches after it.
constexpr char kGatedScript[] = R"(
import os, time
import numpy as np

def make_gated(file=""):
    def batches():
        for i in range(1000):
            time.sleep(0.01)
            while i == 15 and not os.path.exists(file):
                time.sleep(0.001)
            yield np.zeros((4, 2), np.float32)
    return batches()
)";

TEST_CASE("session: that a segment begins is heard while it goes on", "[unit][python]") {
  NEEDS_PACKAGE("numpy");
  const UserCode code(kGatedScript);
  const ScriptFolder folder;
  GivenSettings loader = code.call("make_gated");
  loader.set("args.file", folder.path() + "/begun");
  const auto made = session({.loader = &loader, .window_batches = 20});
  Heard heard;
  heard.at_begin = [&] { folder.write("begun", ""); };
  made->start(heard);
  const ExternalResult result = made->run(heard);
  CHECK(result.segments.size() == 1);
  CHECK(result.steps >= 20);
}

constexpr char kTorchScript[] = R"(
import torch
from torch.utils.data import DataLoader, Dataset

class Squares(Dataset):
    def __len__(self):
        return 4000
    def __getitem__(self, i):
        if i == self.breaks_at:
            raise ValueError("sample %d is broken" % i)
        return torch.full((3, 8, 8), float(i)), i
    def __init__(self, breaks_at=-1):
        self.breaks_at = breaks_at

def make_data(breaks_at=-1):
    return Squares(breaks_at)

def make_loader():
    return DataLoader(Squares(), batch_size=16, num_workers=2, shuffle=True)

def setup(device):
    return torch.nn.Linear(192, 1)

def step(batch, model):
    x, _ = batch
    loss = model(x.flatten(1)).mean()
    loss.backward()
    return loss
)";

TEST_CASE("session: loader and step over there, with workers, and nothing of them is left",
          "[unit][python]") {
  NEEDS_PACKAGE("torch");
  const UserCode code(kTorchScript);
  const GivenSettings loader = code.call("make_data");
  GivenSettings trainer = code.call("step");
  trainer.set("setup", std::string("setup"));
  ExternalLoaderKeys keys;
  keys.num_workers = 2;
  keys.batch_size = 16;
  keys.drop_last = true;
  const Ran ran(
      {.loader = &loader, .trainer = &trainer, .way = ExternalWay::all_there, .keys = keys});
  check_consistent(ran);
  const ExternalResult& r = ran.result;
  CHECK(r.step_ns.size() == r.steps);
  CHECK(r.parameters == 193);
  CHECK(r.loss_last.has_value());
  CHECK(r.facts.kind == "Dataset");
  CHECK(r.facts.epoch_samples == 4000);
  CHECK(r.facts.versions.find("torch") != std::string::npos);
  CHECK(r.facts.trainer_call == "train.py:step");
  REQUIRE_FALSE(ran.heard.workers_seen.empty());
  for (const int pid : ran.heard.workers_seen) CHECK(ends_soon(pid));
}

TEST_CASE("session: the step alone, with batches of the scenario's own", "[unit][python]") {
  NEEDS_PACKAGE("torch");
  const UserCode code(kTorchScript);
  const GivenSettings loader = code.call("make_loader");
  GivenSettings trainer = code.call("step");
  trainer.set("setup", std::string("setup"));
  const Ran ran({.loader = &loader, .trainer = &trainer, .way = ExternalWay::replayed});
  check_consistent(ran);
  CHECK(ran.result.facts.distinct >= 16);
}

// What ends the trial of this loader, in its message and in the user's traceback.
void check_traceback(const Asked& asked, std::string_view message, std::string_view where) {
  try {
    const Ran ran(asked);
    FAIL("nothing was thrown");
  } catch (const PartError& error) {
    CHECK(error.message().find(message) != std::string_view::npos);
    CHECK(error.details().find(where) != std::string_view::npos);
    CHECK(error.details().find("benchbench_dl") == std::string_view::npos);
  }
}

TEST_CASE("session: what the loader raises is said with the user's traceback", "[unit][python]") {
  NEEDS_PACKAGE("numpy");
  const UserCode code;
  const GivenSettings loader = code.call("make_broken");
  check_traceback({.loader = &loader}, "image 3 is broken", "in decode");
}

// In the main process it raises in the case above, and with --all here.
TEST_CASE("session: what a worker raises is said with the user's traceback", "[unit][python]") {
  NEEDS_PACKAGE("torch");
  const UserCode code(kTorchScript);
  GivenSettings loader = code.call("make_data");
  loader.set("args.breaks_at", std::int64_t{20});
  ExternalLoaderKeys keys;
  keys.batch_size = 8;
  keys.shuffle = false;
  for (const std::uint32_t workers : {2u, 0u}) {
    if (workers == 0 && sweep_size(0, 1) == 0) continue;
    keys.num_workers = workers;
    check_traceback({.loader = &loader, .keys = keys}, "sample 20 is broken", "in __getitem__");
  }
}

enum class Killed { at_the_first_look, in_the_window };

void end_by_kill(const Asked& asked, Killed when) {
  Heard heard;
  auto made = session(asked);
  made->start(heard);
  heard.at_begin = [&] { ::kill(made->pid(), SIGKILL); };
  if (when == Killed::at_the_first_look) heard.at_look = heard.at_begin;
  CHECK_THROWS_WITH(made->run(heard), Catch::Contains("the Python process was killed by SIGKILL"));
  made.reset();
  for (const int pid : heard.workers_seen) CHECK(ends_soon(pid));
}

TEST_CASE("session: killed before its window, it is said when", "[unit][python]") {
  NEEDS_PACKAGE("numpy");
  const UserCode code;
  GivenSettings loader = code.call("make_rows");
  loader.set("args.wait", 1.0);  // nothing comes for longer than it takes to look
  end_by_kill({.loader = &loader}, Killed::at_the_first_look);
}

// With --all before the window, too.
TEST_CASE("session: killed at any time, it is said when, and its workers end too",
          "[unit][python]") {
  NEEDS_PACKAGE("torch");
  const UserCode code(kTorchScript);
  const GivenSettings loader = code.call("make_data");
  ExternalLoaderKeys keys;
  keys.num_workers = 2;
  keys.batch_size = 16;
  const Asked asked{.loader = &loader, .keys = keys};
  end_by_kill(asked, Killed::in_the_window);
  if (sweep_size(0, 1)) end_by_kill(asked, Killed::at_the_first_look);
}

TEST_CASE("session: a loader that hangs ends by its patience", "[unit][python]") {
  const UserCode code(R"(
import time
def make_stuck():
    yield [0.0] * 4
    time.sleep(600)
)");
  const GivenSettings loader = code.call("make_stuck");
  const auto made = session({.loader = &loader}, milliseconds{1500});
  Heard heard;
  try {
    made->start(heard);
  } catch (const PartError& error) {
    const std::string text(error.message());
    if (text.find("said nothing for 1.5 s") == std::string::npos) throw;
    BENCHBENCH_NOT_JUDGED("its start takes longer: " + text);
  }
  CHECK_THROWS_WITH(made->run(heard), Catch::Contains("said nothing for 1.5 s"));
}

TEST_CASE("session: what is wrong with the code has its kind", "[unit][python]") {
  NEEDS_PACKAGE("numpy");
  const UserCode code;
  Heard heard;
  const GivenSettings lacking = code.call("make_lacking"), misspelt = code.call("make_row");
  CHECK_THROWS_AS(session({.loader = &lacking})->start(heard), DeviceError);
  CHECK_THROWS_WITH(session({.loader = &lacking})->start(heard),
                    Catch::Contains("no_such_package_of_anyone"));
  CHECK_THROWS_AS(session({.loader = &misspelt})->start(heard), ScenarioError);
  GivenSettings wrong_argument = code.call("make_rows");
  wrong_argument.set("args.row", std::int64_t{3});
  CHECK_THROWS_AS(session({.loader = &wrong_argument})->start(heard), ScenarioError);
}

// --- the look before a run

ExternalCheck check(const GivenSettings* loader, const GivenSettings* trainer = nullptr) {
  return python_maker(PartKind::loader)
      .external.check(
          {.loader = loader, .trainer = trainer, .root = {}, .timeout = kHang, .look = {}});
}

// `leaving` keeps a count in the module.
constexpr char kSharedScript[] = R"(
import numpy as np

COUNT = [0]

def make_rows(rows=4):
    return [np.zeros((rows, 2), np.float32)] * 8

def make_leaving():
    COUNT[0] += 1
    return make_rows()

def make_failing():
    raise ValueError("not in any process")
)";

TEST_CASE("session: a process runs another trial where the last one left nothing",
          "[unit][python]") {
  NEEDS_PACKAGE("numpy");
  const UserCode code(kSharedScript);
  GivenSettings small = code.call("make_rows"), large = code.call("make_rows");
  large.set("args.rows", std::int64_t{16});
  const ExternalResult first = Ran({.loader = &small, .shares = true}).result,
                       second = Ran({.loader = &large, .shares = true}).result,
                       apart = Ran({.loader = &small}).result;
  CHECK(first.facts.trials_before == 0);
  CHECK(first.facts.spawn_ns);
  CHECK(second.facts.trials_before == 1);
  CHECK_FALSE(second.facts.spawn_ns);
  CHECK_FALSE(second.facts.import_ns);
  CHECK(second.facts.call_ns);
  CHECK(second.samples == 16 * second.steps);
  CHECK(second.facts.why_fresh.empty());
  CHECK(apart.facts.trials_before == 0);
  const UserCode other(kSharedScript);
  const GivenSettings elsewhere = other.call("make_rows");
  CHECK(Ran({.loader = &elsewhere, .shares = true}).result.facts.trials_before == 0);
}

TEST_CASE("session: a process in which a trial left something runs no other, and that is said",
          "[unit][python]") {
  NEEDS_PACKAGE("numpy");
  const UserCode code(kSharedScript);
  const GivenSettings leaving = code.call("make_leaving"), plain = code.call("make_rows");
  CHECK(Ran({.loader = &leaving, .shares = true}).result.facts.why_fresh.empty());
  const ExternalFacts next = Ran({.loader = &plain, .shares = true}).result.facts;
  CHECK(next.trials_before == 0);
  CHECK_THAT(next.why_fresh, Catch::EndsWith("train.py: COUNT was changed"));
  CHECK(Ran({.loader = &plain, .shares = true}).result.facts.why_fresh.empty());
}

TEST_CASE("session: a trial that failed ends its process", "[unit][python]") {
  NEEDS_PACKAGE("numpy");
  const UserCode code(kSharedScript);
  const GivenSettings plain = code.call("make_rows"), failing = code.call("make_failing");
  Ran({.loader = &plain, .shares = true});
  int pid = 0;
  {
    Heard heard;
    const auto made = session({.loader = &failing, .shares = true});
    CHECK_THROWS_AS(made->start(heard), PartError);
    CHECK(made->trials_before() == 1);
    pid = made->pid();
  }
  CHECK(::kill(pid, 0) != 0);
  for (int i = 0; i < 2; ++i) {  // the code shares none from now on
    const ExternalFacts next = Ran({.loader = &plain, .shares = true}).result.facts;
    CHECK(next.trials_before == 0);
    CHECK(next.why_fresh == "an earlier trial failed in a process that had run others");
  }
}

TEST_CASE("session: a process that does not say what is left runs no other, and that is said",
          "[unit][python]") {
  NEEDS_PACKAGE("numpy");
  const UserCode code(R"(
import os
import numpy as np

class Rows(list):
    def __del__(self):
        os._exit(3)

def make_rows():
    return Rows([np.zeros((4, 2), np.float32)] * 8)
)");
  const GivenSettings dying = code.call("make_rows");
  CHECK(Ran({.loader = &dying, .shares = true}).result.facts.why_fresh.empty());
  const ExternalFacts next = Ran({.loader = &dying, .shares = true}).result.facts;
  CHECK(next.trials_before == 0);
  CHECK_THAT(next.why_fresh, Catch::Contains("it was ending a trial"));
}

TEST_CASE("session: a process waits for trials on the CPUs that it has", "[unit][python]") {
  if (allowed_cpus().size() < 2) BENCHBENCH_NOT_JUDGED("there is one CPU");
  const auto kind = [] {
    return kind_of_child("python3", {{"loader", nullptr}, {"trainer", nullptr}, {"device", "cpu"}},
                         1);
  };
  const ChildKind on_all = kind();
  CHECK(on_all.suits(kind()));
  const CpuLimit limit(1);
  CHECK_FALSE(on_all.suits(kind()));
}

TEST_CASE("session: an idle process with a context on a card ends where another trial runs",
          "[unit][python]") {
  const UserCode code(kSharedScript);
  const GivenSettings plain = code.call("make_rows");
  const std::function<void()> none;
  const auto started = [&] {
    return std::make_unique<PythonChild>(
        PythonStart{interpreter_for(&plain, nullptr), child_script()}, Patience{kHang, none});
  };
  KeptChildren kept;
  kept.keep({{"code", "cuda:0"}, started(), 1, ""});
  CHECK(kept.take({"code", ""}).child);
  kept.keep({{"code", "cuda:0"}, started(), 1, ""});
  kept.keep({{"on the host", "cpu"}, started(), 1, ""});
  CHECK_FALSE(kept.take({"other", "cuda:0"}).child);
  CHECK_FALSE(kept.take({"code", "cuda:0"}).child);
  CHECK(kept.take({"on the host", "cpu"}).child);
}

TEST_CASE("session: the loader alone runs in the process of any device", "[unit][python]") {
  const Json loader = {{"script", "a.py"}, {"module", nullptr}, {"call", "make"}};
  const auto kind = [&](Json trainer, const char* device, int observer = 1) {
    return kind_of_child("python3", {{"loader", loader}, {"trainer", trainer}, {"device", device}},
                         observer);
  };
  const ChildKind alone = kind(nullptr, "cpu"), on_cpu = kind(loader, "cpu"),
                  on_gpu = kind(loader, "cuda:0");
  CHECK(on_gpu.suits(alone));
  CHECK(alone.suits(on_gpu));
  CHECK_FALSE(on_gpu.suits(on_cpu));
  CHECK_FALSE(alone.suits(kind(nullptr, "cpu", 0)));
  Json other = loader;
  other["script"] = "b.py";
  CHECK_FALSE(alone.suits(kind(other, "cpu")));
}

TEST_CASE("check: what the user's DataLoader was made with", "[unit][python]") {
  NEEDS_PACKAGE("torch");
  const UserCode code(kTorchScript);
  const GivenSettings loader = code.call("make_loader"), data = code.call("make_data");
  GivenSettings trainer = code.call("step");
  trainer.set("setup", std::string("setup"));
  const ExternalCheck found = check(&loader);
  CHECK(found.kind == "DataLoader");
  CHECK(found.epoch_samples == 4000);
  CHECK(found.own.at("num_workers") == ExternalValue(std::int64_t{2}));
  CHECK(found.own.at("batch_size") == ExternalValue(std::int64_t{16}));
  CHECK(found.own.at("shuffle") == ExternalValue(true));
  CHECK(check(&data, &trainer).own.empty());
}

TEST_CASE("check: what an argument's value makes the code raise is said", "[unit][python]") {
  const UserCode code(
      "def step(batch): pass\ndef make(size=1):\n    if size == 0:\n        raise ValueError('size "
      "must not be 0')\n    "
      "return [[size]] * 3\n");
  GivenSettings good = code.call("make"), bad = code.call("make");
  good.set("args.size", std::int64_t{2});
  bad.set("args.size", std::int64_t{0});
  const GivenSettings trainer = code.call("step");
  CHECK(check(nullptr, &trainer).kind.empty());
  const ExternalCheck found = check(&good);
  CHECK(found.kind == "iterable");
  CHECK(found.own.empty());
  CHECK_THROWS_AS(check(&bad), ScenarioError);
  CHECK_THROWS_WITH(check(&bad), Catch::Contains("size must not be 0"));
}

TEST_CASE("check: without its data the code is imported and its names are looked up",
          "[unit][python]") {
  const UserCode code(R"(
def make_data(): raise RuntimeError("called")
def step(batch): pass
)");
  const auto look = [](const GivenSettings& loader) {
    return python_maker(PartKind::loader)
        .external.check(
            {.loader = &loader, .root = {}, .names_only = true, .timeout = kHang, .look = {}});
  };
  CHECK(look(code.call("make_data")).kind.empty());
  CHECK_THROWS_WITH(look(code.call("make_dat")), Catch::Contains("make_dat"));
}

TEST_CASE("check: a script that does not import cannot be run", "[unit][python]") {
  const UserCode code("import os\nraise RuntimeError('not today')\n"),
      leaves("import sys\nsys.exit(0)\n"), dies("import os\nos._exit(3)\n");
  const GivenSettings raises = code.call("make"), exits = leaves.call("make"),
                      ends = dies.call("make");
  CHECK_THROWS_AS(check(&raises), ScenarioError);
  CHECK_THROWS_WITH(check(&raises), Catch::Contains("not today"));
  CHECK_THROWS_AS(check(&exits), ScenarioError);
  CHECK_THROWS_WITH(check(&ends), Catch::Contains("exited with status 3"));
}

}  // namespace session_scenes
}  // namespace benchbench::test
