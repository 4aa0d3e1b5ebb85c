// What every trainer of the catalogue must do: a new row is under test at once.
#include <cmath>
#include <map>

#include "harness/trial/made_loader.h"
#include "tests/contract/parts/loader_bench.h"

namespace benchbench::test::trainer_contract {
namespace {

constexpr std::uint32_t kTrainerBatch = 4;
constexpr std::uint32_t kClasses = 5;
constexpr std::uint64_t kSteps = 3;

// What a trainer of such data is given.
BatchSpec batch_for(DataKind data) {
  BatchSpec spec;
  spec.count = 2;
  spec.tensor[1] = {.name = "label", .dtype = DType::int64, .row = {}};
  switch (data) {
    case DataKind::tokens:
      spec.tensor[0] = {.name = "input_ids", .dtype = DType::int64, .row = {{16}, 1}};
      spec.tensor[1] = {.name = "length", .dtype = DType::int32, .row = {}};
      return spec;
    case DataKind::volume:
      spec.tensor[0] = {.name = "volume", .dtype = DType::float32, .row = {{1, 8, 8, 8}, 4}};
      return spec;
    default:
      spec.tensor[0] = {.name = "image", .dtype = DType::uint8, .row = {{32, 32, 3}, 3}};
      return spec;
  }
}

// Slots that are lent one after the other. One whose batch is gone, or has not come, holds `stale`
// bytes.
class Lender final : public SlotOwner {
 public:
  enum class Bytes { in_time, late };  // there from the start, or once ready() was waited for

  Lender(const BatchSpec& spec, Bytes bytes, std::byte stale)
      : spec_(spec), bytes_(bytes), stale_(stale) {}

  BatchLease lend(BatchNumber batch, std::uint32_t rows) {
    Slot& slot = *slots_.emplace_back(std::make_unique<Slot>());
    slot.samples = rows;
    slot.batch = batch;
    slot.tensor_count = spec_.count;
    for (std::size_t t = 0; t < spec_.count; ++t) {
      slot.memory[t].assign(rows * spec_.tensor[t].bytes_per_row(), stale_);
      slot.tensors[t] = {.spec = spec_.tensor[t], .rows = rows, .data = slot.memory[t].data()};
    }
    slot.own.slot = &slot;
    if (bytes_ == Bytes::late)
      slot.ready = &slot.own;
    else
      slot.write();
    ++lent_;
    return {slot, *this};
  }
  void give_back(BatchSlot& given) noexcept override {
    Slot& slot = static_cast<Slot&>(given);
    ++slot.given_back;
    for (auto& memory : slot.memory) std::ranges::fill(memory, stale_);
    --lent_;
  }
  // Leases that somebody has.
  int lent() const noexcept { return lent_; }
  bool each_given_back_once() const {
    return std::ranges::all_of(slots_, [](const auto& slot) { return slot->given_back == 1; });
  }

 private:
  struct Slot;
  struct Ready final : DeviceEvent {
    void wait() override { slot->write(); }
    bool done() const override { return false; }
    Slot* slot = nullptr;
  };
  struct Slot : BatchSlot {
    std::array<std::vector<std::byte>, kMaxTensors> memory;
    Ready own;
    int given_back = 0;
    // Elements that are small numbers of their type: labels are below kClasses; sequences have two
    // tokens or more, so that there is one to predict.
    void write() {
      Random random(batch + 1);
      for (std::size_t t = 0; t < tensor_count; ++t) {
        const std::size_t element = size_of(tensors[t].spec.dtype);
        const unsigned least = std::string_view(tensors[t].spec.name) == "length" ? 2 : 0;
        std::ranges::fill(memory[t], std::byte{0});
        for (std::size_t at = 0; at < memory[t].size(); at += element)
          if (tensors[t].spec.dtype != DType::float32)
            memory[t][at] =
                static_cast<std::byte>(least + random.below(element == 1 ? 256 : kClasses));
      }
    }
  };

  BatchSpec spec_;
  Bytes bytes_;
  std::byte stale_;
  std::vector<std::unique_ptr<Slot>> slots_;
  int lent_ = 0;
};

struct TrainerOrder {
  const PartRow& row;
  std::uint64_t seed = kSeed;
  const PartSettings* settings = nullptr;
  Lender::Bytes bytes = Lender::Bytes::in_time;
  std::byte stale{0xff};
};

// A trainer as the harness makes it, and what it does with its batches.
class Course {
 public:
  Course(const TrainerOrder& order, Runtime& runtime)
      : runtime_(runtime),
        settings_(*order.row.description),
        spec_(batch_for(order.row.description->data)),
        lender_(spec_, order.bytes, order.stale),
        trainer_(built_in_catalog()
                     .maker(PartKind::trainer, order.row.description->name)
                     .trainer({.settings = (order.settings ? *order.settings : settings_).view(),
                               .batch = spec_,
                               .batch_size = kTrainerBatch,
                               .classes = kClasses,
                               .intra_op_threads = 1,
                               .seed = order.seed,
                               .runtime = runtime,
                               .device = *device_,
                               .times = kTimes})) {}

  Trainer& trainer() noexcept { return *trainer_; }
  const Lender& lender() const noexcept { return lender_; }

  void step() {
    const std::uint32_t rows =
        steps_ % 3 == 2 ? kTrainerBatch - 1 : kTrainerBatch;  // an epoch's last may be short
    RecordingMeter meter;
    meter.billed_to = steps_;
    StepContext context{steps_, meter, runtime_.now(), runtime_.now()};
    const TimePoint begun = runtime_.now();
    trainer_->step(lender_.lend(steps_++, rows), context);
    CHECK(meter.sum <= runtime_.now() - begun);
    CHECK_FALSE(meter.negative);
    CHECK_FALSE(meter.other_step);
    CHECK_FALSE(meter.other_thread);
    for (std::size_t s = 0; s < kStages; ++s) stages[s] += meter.counts[s];
  }
  void steps(std::uint64_t count) {
    while (count-- > 0) step();
  }
  void end() { trainer_.reset(); }

  std::array<std::uint64_t, kStages> stages{};

 private:
  static constexpr std::int64_t kTimes[] = {1000, 3000, 2000};
  Runtime& runtime_;
  PartSettings settings_;
  BatchSpec spec_;
  std::unique_ptr<Device> device_ = make_cpu_device();
  Lender lender_;
  std::uint64_t steps_ = 0;
  std::unique_ptr<Trainer> trainer_;
};

// What a trainer with default settings did, from its first step to its end.
struct History {
  double loss_before = 0;
  std::vector<double> losses;  // after each step
  std::uint64_t parameters = 0, parameters_after = 0;
  std::uint32_t holds = 0, holds_after = 0;
  int most_kept = 0;           // batches after a step
  int kept_when_finished = 0;  // the most after a finish()
  bool gave_back_each_once = false;
  double fidelity = 0;
  std::array<std::uint64_t, kStages> stages{};
};

enum class Lesson {
  usual,       // with a window's end in the midst, and another after the last step
  late,        // batches come late and hold other bytes afterwards, and no window ends
  other_seed,  // otherwise the usual one
};

TrainerOrder order_of(const PartRow& row, Lesson lesson) {
  switch (lesson) {
    case Lesson::late:
      return {.row = row, .bytes = Lender::Bytes::late, .stale = std::byte{1}};
    case Lesson::other_seed:
      return {.row = row, .seed = kSeed + 1};
    default:
      return {.row = row};
  }
}

void finish(Course& course, History& history) {
  course.trainer().finish();
  history.kept_when_finished = std::max(history.kept_when_finished, course.lender().lent());
}

void take_steps(Course& course, Lesson lesson, History& history) {
  const std::uint64_t steps = kSteps + history.holds;
  for (std::uint64_t i = 0; i < steps; ++i) {
    course.step();
    history.losses.push_back(course.trainer().loss());
    history.most_kept = std::max(history.most_kept, course.lender().lent());
    if (lesson != Lesson::late && i == steps / 2) finish(course, history);
  }
}

History make_history(const PartRow& row, Lesson lesson) {
  const auto runtime = make_real_runtime();
  Course course(order_of(row, lesson), *runtime);
  Trainer& trainer = course.trainer();
  History history{.loss_before = trainer.loss(),
                  .losses = {},
                  .parameters = trainer.parameters(),
                  .holds = trainer.holds()};
  take_steps(course, lesson, history);
  history.parameters_after = trainer.parameters();
  history.holds_after = trainer.holds();
  history.fidelity = trainer.mock_time().fidelity();
  history.stages = course.stages;
  if (lesson == Lesson::late) {
    course.steps(2);  // so that nothing waits for them
  } else {
    finish(course, history);
    finish(course, history);
  }
  course.end();
  history.gave_back_each_once = course.lender().each_given_back_once();
  return history;
}

// Made at the first call: a trainer in a process of its own takes a second to start.
const History& history_of(const PartRow& row, Lesson lesson) {
  static std::map<std::pair<std::string_view, Lesson>, History> known;
  const std::pair key(row.description->name, lesson);
  const auto at = known.find(key);
  return at != known.end() ? at->second
                           : known.emplace(key, make_history(row, lesson)).first->second;
}

// NaN is equal to itself here.
bool same_losses(const History& a, const History& b) {
  return std::ranges::equal(a.losses, b.losses, [](double x, double y) {
    return x == y || (std::isnan(x) && std::isnan(y));
  });
}

TEST_CASE("trainers: a step takes its batch, and none keeps more than holds() says",
          "[contract][trainers]") {
  for_each_row(PartKind::trainer, 5, [](const PartRow& row) {
    const History& usual = history_of(row, Lesson::usual);
    CHECK(usual.most_kept <= static_cast<int>(usual.holds));
    CHECK(usual.kept_when_finished == 0);
    CHECK(usual.gave_back_each_once);
    CHECK(usual.holds_after == usual.holds);
    return looked_at(usual.losses.size());
  });
}

TEST_CASE("trainers: an end without finish() gives every batch back", "[contract][trainers]") {
  for_each_row(PartKind::trainer, 5, [](const PartRow& row) {
    const History& late = history_of(row, Lesson::late);
    CHECK(late.gave_back_each_once);
    return looked_at(late.losses.size());
  });
}

TEST_CASE(
    "trainers: the same seed and batches give the same losses; another seed other initial weights",
    "[contract][trainers]") {
  for_each_row(PartKind::trainer, 5, [](const PartRow& row) {
    const History& usual = history_of(row, Lesson::usual);
    CHECK(same_losses(usual, history_of(row, Lesson::late)));
    CHECK(same_losses(usual, history_of(row, Lesson::other_seed)) == (usual.parameters == 0));
    return looked_at(usual.losses.size());
  });
}

// What a slot holds before ready() was waited for, and once it is given back, makes no difference.
TEST_CASE("trainers: a batch is read when it is ready and before it is given back",
          "[contract][trainers]") {
  for_each_row(PartKind::trainer, 5, [](const PartRow& row) {
    const History& usual = history_of(row, Lesson::usual);
    CHECK(same_losses(usual, history_of(row, Lesson::late)));
    return looked_at(usual.losses.size());
  });
}

TEST_CASE("trainers: a real one has parameters and a finite loss, a mock no parameters",
          "[contract][trainers]") {
  for_each_row(PartKind::trainer, 5, [](const PartRow& row) {
    const bool mock = row.description->mock;
    const History& usual = history_of(row, Lesson::usual);
    CHECK(usual.parameters_after == usual.parameters);
    CHECK((usual.parameters == 0) == mock);
    for (const double loss : usual.losses)
      CHECK((std::isfinite(loss) || (mock && std::isnan(loss))));
    if (!mock) {
      CHECK(std::isnan(usual.loss_before));  // none yet
      CHECK(std::isnan(usual.fidelity));     // it is to take no certain time
    }
    return looked_at(usual.losses.size());
  });
}

// Every time and rate that the trainer knows, so that each of its stages takes some.
std::unique_ptr<PartSettings> with_times(const PartDescription& trainer) {
  auto settings = std::make_unique<PartSettings>(trainer);
  settings->set_all(ParameterType::duration, "1ms");
  settings->set_all(ParameterType::bandwidth, "10MB/s");
  return settings;
}

void check_stages(const PartDescription& trainer, const std::array<std::uint64_t, kStages>& seen) {
  for (std::size_t s = 0; s < kStages; ++s) {
    const auto stage = static_cast<Stage>(s);
    const auto described = std::ranges::count(trainer.stages, stage);
    INFO("stage " << name_of(stage) << " is described " << described << " times and metered "
                  << seen[s] << " times");
    CHECK(described <= 1);
    // known_answer/device tests that `enqueue` is metered on devices.
    const bool on_device = stage == Stage::enqueue && trainer.on_device != OnDevice::no;
    if (!on_device) CHECK((seen[s] > 0) == (described == 1));
    if (described) CHECK((stage > Stage::get_blocked && stage < Stage::postprocess));
  }
}

TEST_CASE("trainers: the stages they meter are those they describe, and the trainer's",
          "[contract][trainers]") {
  for_each_row(PartKind::trainer, 5, [](const PartRow& row) {
    std::array<std::uint64_t, kStages> seen{};
    if (row.description->simulated) {
      const auto settings = with_times(*row.description);
      in_virtual_time([&](Runtime& runtime) {
        Course course({.row = row, .settings = settings.get()}, runtime);
        course.steps(kSteps);
        course.trainer().finish();
        seen = course.stages;
      });
    } else {
      seen = history_of(row, Lesson::usual).stages;
    }
    check_stages(*row.description, seen);
    return looked_at(kSteps);
  });
}

// When each step ended, in virtual time.
std::vector<TimePoint> ends_of_steps(const PartRow& row, double& fidelity) {
  const auto settings = with_times(*row.description);
  std::vector<TimePoint> ends;
  in_virtual_time([&](Runtime& runtime) {
    Course course({.row = row, .settings = settings.get()}, runtime);
    for (std::uint64_t i = 0; i < kSteps; ++i) {
      course.step();
      ends.push_back(runtime.now());
    }
    course.trainer().finish();
    fidelity = course.trainer().mock_time().fidelity();
  });
  return ends;
}

// A trainer that is to take a certain time takes it, to the nanosecond; one that is to take none
// says so.
TEST_CASE(
    "trainers: all their time is virtual where that is promised; else virtual time is refused",
    "[contract][trainers]") {
  for_each_row(PartKind::trainer, 5, [](const PartRow& row) {
    const PartDescription& trainer = *row.description;
    const auto asked = [&] { row_of(built_in_catalog(), PartKind::trainer, trainer.name, true); };
    CHECK_NOTHROW(row_of(built_in_catalog(), PartKind::trainer, trainer.name, false));
    if (!trainer.simulated) {
      CHECK_THROWS_AS(asked(), PartError);
      return looked_at(1);
    }
    CHECK_NOTHROW(asked());
    double fidelity = 0, again = 0;
    const auto ends = ends_of_steps(row, fidelity);
    CHECK(ends == ends_of_steps(row, again));
    const bool timed = std::ranges::any_of(trainer.parameters, [](const Parameter& p) {
      return p.type == ParameterType::duration || p.key == "times";
    });
    CHECK((ends.back() > ends.front()) == timed);
    CHECK(std::isnan(fidelity) == !timed);
    if (timed) CHECK(fidelity == 1);
    return looked_at(ends.size());
  });
}

TEST_CASE("trainers: told to throw, they do so in the step, and give its batch back",
          "[contract][trainers]") {
  for_each_row(PartKind::trainer, 1, [](const PartRow& row) {
    const Parameter* fault = parameter_of(row.description->parameters, "fault");
    if (!fault || std::ranges::count(fault->choices, "throw") == 0)
      return set_aside("nothing tells it to throw");
    PartSettings settings(*row.description);
    settings.set("fault", "throw");
    const auto runtime = make_real_runtime();
    Course course({.row = row, .settings = &settings}, *runtime);
    CHECK_THROWS_AS(course.steps(100), Error);
    CHECK(course.lender().lent() <= static_cast<int>(course.trainer().holds()));
    course.trainer().finish();
    CHECK(course.lender().lent() == 0);
    CHECK(course.lender().each_given_back_once());
    return looked_at(1);
  });
}

}  // namespace
}  // namespace benchbench::test::trainer_contract
