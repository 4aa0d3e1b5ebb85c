#include "harness/trial/readings/thread_clocks.h"

namespace benchbench {

void ThreadClocks::read_clocks() noexcept {
  last_ = read_clock_pair();
  if (!first_) first_ = last_;
}

void ThreadClocks::end_segment(const Supply& supply, TimePoint now) {
  const std::vector<WorkerTimes> ended = supply.each_times(now);
  sum_.resize(ended.size());
  for (std::size_t w = 0; w < ended.size(); ++w) sum_[w] += ended[w] - began_[w];
}

std::optional<double> ThreadClocks::slew_ppm() const noexcept {
  return first_ && last_ ? clock_slew_ppm(*first_, *last_) : std::nullopt;
}

}  // namespace benchbench
