// Epochs of a loader in a process of its own, with a pause before each: what of it is in the rate,
// in the gap and in the CPU time.
#include <catch2/catch.hpp>

#include "harness/analysis/rates/host_timeline.h"
#include "harness/analysis/rules/rules.h"
#include "tests/known_answer/queue/own_trial.h"

namespace benchbench::test {
namespace own_pauses_scenes {

// Batches of 4 samples, `batches` an epoch.
struct Epochs {
  std::uint64_t batches = 2;
  Nanoseconds wait{0};                              // for each batch
  Nanoseconds busy{0};                              // in the pause before each epoch but the first
  Nanoseconds gap = std::chrono::milliseconds{50};  // as the process says
};
Epochs epochs_of_trial;

class PausingSource final : public BatchSource {
 public:
  explicit PausingSource(Runtime& runtime) : runtime_(runtime) {}
  SourceBatch next() override {
    const Epochs& epochs = epochs_of_trial;
    if (epochs.wait.count() > 0) runtime_.spend(epochs.wait, Spend::sleep);
    if (made_ > 0 && made_ % epochs.batches == 0 && epochs.busy.count() > 0)
      runtime_.spend(epochs.busy, Spend::spin);
    SourceBatch batch{.tensors = {},
                      .tensor_count = 1,
                      .samples = 4,
                      .ids = {},
                      .epoch = made_ / epochs.batches,
                      .batch = made_};
    batch.tensors[0] = {
        .spec = {.name = "x", .dtype = DType::uint8, .row = {}}, .rows = 4, .data = values_.data()};
    ++made_;
    return batch;
  }
  void give_back(const SourceBatch&) noexcept override {}
  void stop() noexcept override {}
  std::uint64_t made() const noexcept override { return made_; }
  std::optional<Nanoseconds> cpu_time() const noexcept override { return std::nullopt; }

 private:
  Runtime& runtime_;
  std::vector<std::byte> values_ = std::vector<std::byte>(8);
  BatchNumber made_ = 0;
};

class PausingLoader final : public Loader {
 public:
  Layout layout() const override { return {4 * epochs_of_trial.batches, {}, {}}; }
  BatchSpec spec() const override {
    BatchSpec spec;
    spec.tensor[spec.count++] = {.name = "x", .dtype = DType::uint8, .row = {}};
    return spec;
  }
  std::uint32_t own_rows() const noexcept override { return 4; }
  std::unique_ptr<BatchSource> source(const SourceContext& context) override {
    return std::make_unique<PausingSource>(context.runtime);
  }
  std::optional<ExternalResult> external_result() override {
    ExternalResult result;
    result.epoch_gap_ns = epochs_of_trial.gap.count();
    return result;
  }
  std::unique_ptr<LoaderWorker> worker(WorkerNumber, Runtime&) override {
    throw PartError("a worker was asked for");
  }
};

// By two workers with two batches ahead each.
TrialRecord record_of(const Epochs& epochs, TrialOfMocks::Changes changes = {}) {
  epochs_of_trial = epochs;
  const auto make = [](const LoaderContext&) -> std::unique_ptr<Loader> {
    return std::make_unique<PausingLoader>();
  };
  const TrialRecord record = run_own_outside(make, changes);
  INFO(words_of(record));
  REQUIRE(record.facts.window.steps > 0);
  return record;
}

Facts facts_of(const Epochs& epochs, TrialOfMocks::Changes changes = {}) {
  return record_of(epochs, changes).facts;
}

// Without a wait for each batch this process spends 12 s in the kernel.
constexpr Nanoseconds kWait = std::chrono::microseconds{200};

TEST_CASE("own pauses: a pause that is part of the rate is no gap", "[known_answer][queue]") {
  CHECK(facts_of({.batches = 20, .wait = kWait}).epochs.gap_ns > 0);
  CHECK_FALSE(facts_of({.batches = 2, .wait = kWait}).epochs.gap_ns);
}

// The pause spins in this process, which is the trainer's side here: 60 ms of each 100.
TEST_CASE("own pauses: the CPU time of a pause is none of the window's", "[known_answer][queue]") {
  const Epochs epochs{
      .batches = 40, .wait = std::chrono::milliseconds{1}, .busy = std::chrono::milliseconds{60}};
  const Facts facts = facts_of(epochs, {{"measure.window", "200ms"}, {"measure.warmup", "150ms"}});
  REQUIRE(facts.cpu.trainer_s);
  CHECK(*facts.cpu.trainer_s < 0.3e-9 * static_cast<double>(facts.window.ns));
}

// A window of 45 batches holds the end of an epoch of 30, however slow the machine is.
TEST_CASE("own pauses: the steps of a device are not the host's where an epoch ends early",
          "[known_answer][queue]") {
  const TrialRecord record =
      record_of({.batches = 30, .wait = kWait}, {{"measure.window_batches", "45"},
                                                 {"measure.window", "200ms"},
                                                 {"trainer.device", "emulated"},
                                                 {"trainer.step_time", "5ms"}});
  const Facts& f = record.facts;
  REQUIRE(f.device);
  CHECK(f.device->name == "emulated");
  CHECK_FALSE(times_known(*f.device));
  CHECK(f.window.stages[static_cast<std::size_t>(Stage::forward)].ns > 0);
  const auto fired = find_rule("I01")->check(record);
  INFO((fired ? fired->text : ""));
  CHECK_FALSE((fired && fired->invalid));
}

}  // namespace own_pauses_scenes
}  // namespace benchbench::test
