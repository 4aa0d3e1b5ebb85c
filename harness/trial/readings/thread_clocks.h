// What each thread's own clock said of a window, for the checks that every trial makes of itself.
#pragma once
#include <optional>
#include <vector>

#include "harness/pipeline/supply.h"
#include "harness/trial/readings/clock_slew.h"

namespace benchbench {

// Read at both ends of each segment, by the trainer's thread; added up over them.
class ThreadClocks {
 public:
  // Both clocks against each other, before the first and after the last segment; the first and the
  // last call count.
  void read_clocks() noexcept;
  // `now` is the trainer's reading at that end.
  void begin_segment(const Supply& supply, TimePoint now) { began_ = supply.each_times(now); }
  void end_segment(const Supply& supply, TimePoint now);

  // Of each of the harness's workers.
  const std::vector<WorkerTimes>& each_worker() const noexcept { return sum_; }
  // nullopt where there is no second clock.
  std::optional<double> slew_ppm() const noexcept;

 private:
  std::vector<WorkerTimes> began_, sum_;
  std::optional<ClockPair> first_, last_;
};

}  // namespace benchbench
