// A trainer that reads its batches in the emulated accelerator's memory: a kernel of their bytes at
// the memory's rate.
#include <catch2/catch.hpp>

#include "tests/unit/trial/trial_of_mocks.h"

namespace benchbench::test::device_touch {
namespace {

using Changes = std::vector<std::pair<std::string_view, std::string_view>>;

// 8 samples of 16 bytes (two by two by two values and a label): 1 ms at 128 kB/s to copy, 5 ms at
// 25.6 kB/s to read.
TrialRecord record_of(const Changes& more) {
  TrialOfMocks mocks("synthetic", "touch", {});
  Changes all = {{"loader.num_workers", "1"},
                 {"loader.batch_size", "8"},
                 {"loader.pin_memory", "true"},
                 {"trainer.device", "emulated"},
                 {"trainer.non_blocking", "true"},
                 {"trainer.copy_stream", "own"},
                 {"trainer.emulated.pinned", "128kB/s"},
                 {"trainer.emulated.copy_call", "0s"},
                 {"trainer.emulated.launch_call", "0s"},
                 {"trainer.emulated.memory_rate", "25.6kB/s"},
                 {"measure.window", "1s"},
                 {"measure.window_batches", "20000"},
                 {"measure.warmup", "50ms"}};
  all.insert(all.end(), more.begin(), more.end());
  for (const auto& change : all) mocks.change({change});
  return run_simulated(mocks.trial());
}

double ms_of(const TrialRecord& record) {
  const WindowFacts& window = record.facts.window;
  return static_cast<double>(window.ns) / 1e6 / static_cast<double>(window.steps);
}

}  // namespace

TEST_CASE("device: touch reads each batch at the rate of the device's memory",
          "[known_answer][device]") {
  CHECK(ms_of(record_of({})) == Approx(5).epsilon(1e-4));
  CHECK(ms_of(record_of({{"trainer.copy_stream", "current"}})) == Approx(1 + 5).epsilon(1e-4));
  CHECK(ms_of(record_of({{"loader.batch_size", "16"}})) == Approx(10).epsilon(1e-4));
  // The copy binds: reading, 0.5 ms, hides behind it.
  CHECK(ms_of(record_of({{"trainer.emulated.memory_rate", "256kB/s"}})) == Approx(1).epsilon(1e-4));
  CHECK(ms_of(record_of({{"trainer.in_flight", "1"}, {"trainer.emulated.launch_call", "2ms"}})) ==
        Approx(2 + 5).epsilon(1e-4));
}

TEST_CASE("device: what touch takes there is the device's time, and there is no sum",
          "[known_answer][device]") {
  const TrialRecord record = record_of({{"trainer.emulated.launch_call", "1ms"}});
  const auto of = [&](Stage stage) {
    return record.facts.window.stages[static_cast<std::size_t>(stage)];
  };
  const auto steps = static_cast<std::int64_t>(record.facts.window.steps);
  // The launch, 1 ms, hides behind the step before it, that of the first behind its copy.
  CHECK(of(Stage::forward).ns == 5'000'000 * steps);
  CHECK(of(Stage::forward).count == record.facts.window.steps);
  CHECK(of(Stage::enqueue).ns == 1'000'000 * steps);
  CHECK(of(Stage::h2d).count == 0);
  CHECK_FALSE(record.facts.parts.loss_first);
  CHECK_FALSE(record.facts.parts.loss_last);
}

}  // namespace benchbench::test::device_touch
