#include "harness/record/measure_limits.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "harness/record/resolved_settings.h"

namespace benchbench::measure_limits_tests {

TEST_CASE("limits: a class's window is its least", "[unit][record]") {
  CHECK(window_class("normal").window == std::chrono::seconds(1));
  CHECK(window_class("normal").batches == 5);
  CHECK(window_class("gate").window == std::chrono::seconds(10));
  CHECK(window_class("gate").batches == 100);
  CHECK(window_class("selftest").window == std::chrono::milliseconds(200));
  CHECK(window_class("selftest").batches == 100);
  CHECK(window_class("").name == "normal");
}

TEST_CASE("limits: batches arrive together one of each worker that can be at work",
          "[unit][record]") {
  CHECK(burst_size(0, 2) == 1);
  CHECK(burst_size(1, 8) == 1);
  CHECK(burst_size(4, 8) == 4);
  CHECK(burst_size(4, 3) == 3);  // jobs for three of them
  // All share the rows of each batch; of two batches of a row each only two can be at work.
  CHECK(burst_size(4, 8, 8) == 4);
  CHECK(burst_size(4, 1, 8) == 4);
  CHECK(burst_size(4, 2, 1) == 2);
}

TEST_CASE("limits: a window of several workers holds two bursts, and whole ones",
          "[unit][record]") {
  CHECK(whole_bursts(5, 1) == 5);
  CHECK(whole_bursts(1, 1) == 1);
  CHECK(whole_bursts(5, 4) == 8);
  CHECK(whole_bursts(9, 4) == 12);
  CHECK(whole_bursts(100, 4) == 100);
  CHECK(whole_bursts(1, 8) == 16);
  CHECK(whole_bursts(3, 8, 1) == 8);  // of a probe
}

TEST_CASE("limits: a window holds whole bursts and whole periods at once, as far as there is room",
          "[unit][record]") {
  using Periods = std::vector<std::uint64_t>;
  const auto check = [](const Repeat& repeat, std::uint64_t steps, bool whole) {
    CHECK(repeat.steps == steps);
    CHECK(repeat.whole == whole);
  };
  check(steps_to_repeat(1, {}, 100), 1, true);
  check(steps_to_repeat(6, {}, 1), 6, true);  // bursts have no such limit
  check(steps_to_repeat(6, Periods{3}, 1), 6, true);
  check(steps_to_repeat(1, Periods{20}, 100), 20, true);
  check(steps_to_repeat(8, Periods{20}, 100), 40, true);
  check(steps_to_repeat(8, Periods{4}, 8), 8, true);
  check(steps_to_repeat(4, Periods{6, 10}, 60), 60, true);
  check(steps_to_repeat(4, Periods{6, 10}, 59), 12, false);
  check(steps_to_repeat(16, Periods{50, 150}, 1000), 400, false);
  // One that does not fit makes no room taken: those behind it may.
  check(steps_to_repeat(16, Periods{50, 64}, 100), 64, false);
  check(steps_to_repeat(4, Periods{1'000'000'000'000}, 1000), 4, false);
  const auto s = [](int n) { return Nanoseconds(std::chrono::seconds(n)); };
  CHECK(room_for_periods(s(1), s(600)) == s(10));
  CHECK(room_for_periods(s(60), s(600)) == s(300));   // half the time limit
  CHECK(room_for_periods(s(400), s(600)) == s(500));  // never less than the window and a quarter
}

TEST_CASE("limits: the trainer's periods are ascending, without checkpoints in virtual time",
          "[unit][record]") {
  SettingsMap settings;
  const auto set = [&](const char* key, std::int64_t n) {
    settings.set(key, {ParameterType::integer, n});
  };
  CHECK(periods_in(settings, false).empty());
  set("trainer.postprocess.every", 20);
  set("trainer.checkpoint.every", 100);
  set("trainer.log_every", 10);
  set("trainer.slow_step_every", 0);
  const auto text = [&](bool simulated) {
    std::string all;
    for (const Period& p : periods_in(settings, simulated))
      all += p.key + " " + std::to_string(p.steps) + "; ";
    return all;
  };
  CHECK(text(false) ==
        "trainer.log_every 10; trainer.postprocess.every 20; trainer.checkpoint.every 100; ");
  CHECK(text(true) == "trainer.log_every 10; trainer.postprocess.every 20; ");
}

TEST_CASE("limits: storage may drift more than arithmetic", "[unit][record]") {
  CHECK(slope_limit(false) == 0.05);
  CHECK(slope_limit(true) == 0.10);
}

}  // namespace benchbench::measure_limits_tests
