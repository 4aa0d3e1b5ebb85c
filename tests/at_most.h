// Judges measures on the real clock that a busy machine can only make larger.
#pragma once
#include <functional>
#include <string>

#include "tests/control.h"

namespace benchbench::test {

// Passes where `measure` is at most `most` the first time. Else it is taken again in turns with a
// bare loop, and fails where it is larger each time that the loop keeps its time. A wait of the
// standard loop may be 20 ms late: little compared with what most limits leave.
inline void judge_at_most(const std::string& what, double most,
                          const std::function<double()>& measure,
                          const BareLoop& beside = {.step = std::chrono::milliseconds{10}},
                          double late = 2) {
  const auto over = [&] { return measure() / most - 1; };
  if (over() <= 0) return;
  judge_by_control(beside, late,
                   {{.what = what, .off = over, .least = -1, .most = 0, .enough = 1}});
}

// The same of what takes time: `took` does it once, and returns how long that was.
inline void judge_longest(const std::string& what, Nanoseconds most,
                          const std::function<Nanoseconds()>& took) {
  judge_at_most(what, to_seconds(most), [&] { return to_seconds(took()); });
}

}  // namespace benchbench::test
