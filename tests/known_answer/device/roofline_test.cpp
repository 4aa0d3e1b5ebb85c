// A model's arithmetic and memory traffic on the emulated accelerator: a kernel of that time.
#include <catch2/catch.hpp>

#include "tests/unit/trial/trial_of_mocks.h"

namespace benchbench::test::device_roofline {
namespace {

using Changes = std::vector<std::pair<std::string_view, std::string_view>>;

// 8 samples of 16 bytes (two by two by two values and a label) at 128 kB/s: their copy takes 1 ms.
Changes settings(const Changes& more) {
  Changes all = {{"loader.num_workers", "1"},
                 {"loader.batch_size", "8"},
                 {"loader.pin_memory", "true"},
                 {"trainer.device", "emulated"},
                 {"trainer.non_blocking", "true"},
                 {"trainer.copy_stream", "own"},
                 {"trainer.emulated.pinned", "128kB/s"},
                 {"trainer.emulated.copy_call", "0s"},
                 {"trainer.emulated.launch_call", "0s"},
                 {"trainer.step_flops", "4e6"},
                 {"trainer.sample_flops", "1e6"},
                 {"trainer.flop_rate", "4e9/s"},
                 {"trainer.step_bytes", "1MB"},
                 {"trainer.sample_bytes", "0.5MB"},
                 {"trainer.memory_rate", "1GB/s"},
                 {"measure.window", "1s"},
                 {"measure.window_batches", "20000"},
                 {"measure.warmup", "50ms"}};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

TrialRecord virtual_record(const Changes& more) {
  TrialOfMocks mocks("synthetic", "roofline", {});
  for (const auto& change : settings(more)) mocks.change({change});
  return run_simulated(mocks.trial());
}

double ms_of(const Changes& more) {
  const WindowFacts window = virtual_record(more).facts.window;
  return static_cast<double>(window.ns) / 1e6 / static_cast<double>(window.steps);
}

}  // namespace

// Arithmetic: (4 + 8) Mflop at 4 Gflop/s, 3 ms. Memory: (1 + 4) MB at 1 GB/s, 5 ms.
TEST_CASE("device: a roofline's step is the longest of its parts there, or their sum",
          "[known_answer][device]") {
  CHECK(ms_of({}) == Approx(5).epsilon(1e-4));
  CHECK(ms_of({{"trainer.blend", "sum"}}) == Approx(8).epsilon(1e-4));
  CHECK(ms_of({{"trainer.wait_time", "6ms"}}) == Approx(6).epsilon(1e-4));
  CHECK(ms_of({{"loader.batch_size", "2"}}) == Approx(2).epsilon(1e-4));
  // 8 rows of 2 x 2 x 2 values at 4 Gflop/s.
  CHECK(ms_of({{"trainer.element_flops", "1e6"}}) == Approx((12 + 64) / 4.0).epsilon(1e-4));
}

TEST_CASE("device: a roofline's copies and launches cost what every trainer's do",
          "[known_answer][device]") {
  CHECK(ms_of({{"trainer.copy_stream", "current"}}) == Approx(1 + 5).epsilon(1e-4));
  CHECK(ms_of({{"trainer.in_flight", "1"}, {"trainer.emulated.copy_call", "1ms"}}) ==
        Approx(1 + 1 + 5).epsilon(1e-4));
  CHECK(ms_of({{"trainer.emulated.launch_call", "7ms"}}) == Approx(7).epsilon(1e-4));
  // The loss is read back behind each step, four bytes in 1 ms, and nothing hides the next copy.
  CHECK(ms_of({{"trainer.log_every", "1"}, {"trainer.emulated.pageable", "4kB/s"}}) ==
        Approx(1 + 5 + 1).epsilon(2e-4));
}

TEST_CASE("device: a roofline's step is metered as the device's, its launch as the host's",
          "[known_answer][device]") {
  const TrialRecord record = virtual_record({{"trainer.emulated.launch_call", "1ms"}});
  const auto of = [&](Stage stage) {
    return record.facts.window.stages[static_cast<std::size_t>(stage)];
  };
  const auto steps = static_cast<std::int64_t>(record.facts.window.steps);
  CHECK(of(Stage::forward).ns == 5'000'000 * steps);
  CHECK(of(Stage::enqueue).ns == 1'000'000 * steps);
  // There is no GPU of which anything could be said.
  CHECK_FALSE(record.facts.gpu);
}

}  // namespace benchbench::test::device_roofline
