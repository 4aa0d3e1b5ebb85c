#include "harness/record/measure_limits.h"

#include <catch2/catch.hpp>

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

TEST_CASE("limits: storage may drift more than arithmetic", "[unit][record]") {
  CHECK(slope_limit(false) == 0.05);
  CHECK(slope_limit(true) == 0.10);
}

}  // namespace benchbench::measure_limits_tests
