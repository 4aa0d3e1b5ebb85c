// What each thread's own clock said of a window, for the checks that every trial makes of itself.
#pragma once
#include <optional>
#include <vector>

#include "harness/record/trial_record.h"
#include "harness/trial/clock_slew.h"
#include "harness/trial/step_loop.h"

namespace benchbench {

// Read at both ends of each segment, by the trainer's thread; added up over them.
class WindowFacts {
 public:
  // Both clocks against each other, before the first and after the last segment; the first and the last call
  // count.
  void read_clocks() noexcept;
  // `now` is the trainer's reading at that end.
  void begin_segment(const Supply& supply, TimePoint now);
  void end_segment(const Supply& supply, TimePoint now);
  // Fills loop, each_worker and, on the real clock, clock_slew_ppm. Observer level 1 and up.
  void note(Facts& facts, const LoopTotals& loop, bool simulated) const;

 private:
  std::vector<WorkerTimes> began_, sum_;
  std::optional<ClockPair> first_, last_;
};

// Fills steadiness, stalls and the histograms from the window's steps. `slope_limit` is the share of drift
// that is no drift yet.
void note_shape(Facts& facts, const StepSeries& series, double slope_limit);

}  // namespace benchbench
