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

TEST_CASE("limits: storage may drift more than arithmetic", "[unit][record]") {
  CHECK(slope_limit(false) == 0.05);
  CHECK(slope_limit(true) == 0.10);
}

}  // namespace benchbench::measure_limits_tests
