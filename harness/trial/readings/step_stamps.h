// The readings of the clock around one step, and what passed between them.
#pragma once
#include <algorithm>

#include "harness/part/batch.h"

namespace benchbench {

// The readings of one step, in their order: until `asked` it waits for a buffer, which is the
// step's; until `got` is the get, then accounting, what is copied for after the step, the step and
// what follows it. The trainer's thread reads all but `filled`.
struct StepStamps {
  TimePoint asked{}, got{}, counted{}, started{}, stepped{}, ended{};
  TimePoint filled = kNotKnown;        // BatchLease::filled(), made_in() and filling()
  Nanoseconds made_in{0}, filling{0};  // likewise

  // True if it is known when the batch was there.
  bool there_known() const noexcept { return filled != kNotKnown; }
  // Returns when the batch was asked for and there: until then the get waits for data, from then on
  // for a core, and for the microseconds of the hand-over. A batch that is made on demand is made
  // until the get ends; where that is not known, all of the get is taken for waiting.
  TimePoint there() const noexcept {
    return !there_known() || made_in.count() > 0 ? got : std::clamp(filled, asked, got);
  }
  Nanoseconds get() const noexcept { return there() - asked; }
  Nanoseconds core_wait() const noexcept { return got - there(); }
  Nanoseconds after() const noexcept { return (started - counted) + (ended - stepped); }
  // `last_end`: where the step before ended.
  Nanoseconds step(TimePoint last_end) const noexcept {
    return (asked - last_end) + (stepped - started);
  }
};

}  // namespace benchbench
