// The equations of docs/device.md on a CUDA driver of our own, whose copies and steps take known
// times on the real clock.
#include <stdlib.h>

#include "tests/known_answer/device_cases.h"

namespace benchbench::test::stub_steps {

// The driver reads its rates when it is opened: once for each trial.
void set_rates(const DeviceSteps& steps) {
  const auto set = [](const char* name, double bytes_per_second) {
    ::setenv(name, std::to_string(bytes_per_second * 1e-9).c_str(), 1);
  };
  set("BENCHBENCH_STUB_PINNED_GBPS", steps.pinned_rate());
  set("BENCHBENCH_STUB_PAGEABLE_GBPS", steps.pinned_rate() / 2);
}

// A copy that blocks waits for the host as well: before the step, or behind the step before.
int hops_of(const DeviceCase& c) {
  if (c.in_turn()) return kHopsInTurn;
  if (std::string_view(c.non_blocking) == "true") return 0;
  return std::string_view(c.stream) == "own" ? 1 : kHopsInTurn;
}

void judge_stub(const DeviceSteps& steps) {
  if (!BENCHBENCH_HAS_KERNELS) BENCHBENCH_SKIP("this build has no CUDA kernels");
  set_rates(steps);
  judge_device("cuda:0", steps, hops_of);
}

TEST_CASE("cuda: copies and steps of 10 ms take what the equations say within 0.5 %",
          "[known_answer][cuda]") {
  judge_stub({"10ms", std::chrono::milliseconds{10}, "300ms", 0.005});
}

TEST_CASE("cuda: copies and steps of 1 ms take what the equations say within 1 %",
          "[known_answer][cuda]") {
  judge_stub({"1ms", std::chrono::milliseconds{1}, "100ms", 0.01});
}

// From the calibration on, which is over after 454 kernels, each takes a quarter longer.
TEST_CASE("cuda: kernels that are late show in what steps are billed", "[known_answer][cuda]") {
  if (!BENCHBENCH_HAS_KERNELS) BENCHBENCH_SKIP("this build has no CUDA kernels");
  const DeviceSteps steps{"5ms", std::chrono::milliseconds{5}, "100ms", 0};
  set_rates(steps);
  ::setenv("BENCHBENCH_STUB_SLOW_FROM", "455", 1);
  const TrialRecord record = run_on_real_clock(trial_on("cuda:0", kDeviceCases[4], steps));
  ::unsetenv("BENCHBENCH_STUB_SLOW_FROM");
  const auto& window = record.facts.window;
  const auto forward =
      static_cast<double>(window.stages[static_cast<std::size_t>(Stage::forward)].ns);
  CHECK(1e-6 * forward / static_cast<double>(window.steps) > 1.24 * 5);
}

}  // namespace benchbench::test::stub_steps
