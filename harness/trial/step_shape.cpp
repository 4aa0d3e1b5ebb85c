#include "harness/trial/step_shape.h"

namespace benchbench {
namespace {

Distribution inner_steps(const std::vector<std::int64_t>& series) {
  if (series.size() < 3) return distribution_of(series);
  return distribution_of({series.begin() + 1, series.end() - 1});
}

Bins bins_of(const std::vector<std::int64_t>& values) {
  LogHistogram histogram;
  histogram.add(values);
  return histogram.bins();
}

}  // namespace

void note_shape_of(const StepSeries& series, double limit, WindowFacts& window) {
  window.get_blocked = inner_steps(series.get_blocked);
  window.step = inner_steps(series.step);
  const Steadiness steadiness = steadiness_of(whole_steps(series), limit);
  window.steadiness = steadiness.kind;
  window.period_steps = steadiness.period_steps;
  window.stalls = stalls_of(series);
  window.get_blocked_bins = bins_of(series.get_blocked);
  window.step_bins = bins_of(series.step);
}

std::int64_t gap_beyond_waits(std::int64_t gap_ns, std::uint32_t batches,
                              const StageTotal& waits) noexcept {
  const std::int64_t mean = waits.count > 0 ? waits.ns / static_cast<std::int64_t>(waits.count) : 0;
  return std::max<std::int64_t>(0, gap_ns - batches * mean);
}

}  // namespace benchbench
