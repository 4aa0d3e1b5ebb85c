// The emulated accelerator on the real clock keeps the times that it has in virtual time.
#include "tests/known_answer/device_cases.h"

namespace benchbench::test::real_device {

int hops_of(const DeviceCase& c) { return c.in_turn() ? kHopsInTurn : 0; }

TEST_CASE("real clock: an accelerator's steps of 10 ms keep their times within 0.5 %",
          "[known_answer][real_clock]") {
  judge_device("emulated", {"10ms", std::chrono::milliseconds{10}, "150ms", 0.005}, hops_of);
}

TEST_CASE("real clock: an accelerator's steps of 1 ms keep their times within 1 %",
          "[known_answer][real_clock]") {
  judge_device("emulated", {"1ms", std::chrono::milliseconds{1}, "100ms", 0.01}, hops_of);
}

}  // namespace benchbench::test::real_device
