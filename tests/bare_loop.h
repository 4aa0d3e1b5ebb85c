// How well this machine keeps time just now, for tests that compare times.
#pragma once
#include "harness/core/runtime.h"

namespace benchbench::test {

// Whether a bare loop that keeps a core can keep time: how much longer than asked it takes, as a
// share.
inline double lateness_of_a_bare_loop(Nanoseconds step) {
  const auto runtime = make_real_runtime();
  const TimePoint begin = runtime->now();
  const int steps = static_cast<int>(std::chrono::milliseconds{100} / step);
  for (int i = 0; i < steps; ++i) runtime->spend(step, Spend::spin);
  return static_cast<double>((runtime->now() - begin).count()) /
             static_cast<double>(steps * step.count()) -
         1;
}

}  // namespace benchbench::test
