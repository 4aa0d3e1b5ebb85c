#include "harness/trial/step_shape.h"

#include <algorithm>

namespace benchbench {
namespace {

// Fewest bursts of which the first and the last can be left out: half of them tell the rest.
constexpr std::size_t kFewestBursts = 4;

// Leaves out whole bursts: of waits of 400, 0, 0 and 0 ms the first alone is no burst.
Distribution inner_steps(const std::vector<std::int64_t>& series, std::uint64_t burst) {
  if (series.size() < (burst > 1 ? kFewestBursts * burst : 3)) return distribution_of(series);
  const auto edge = static_cast<std::ptrdiff_t>(burst);
  return distribution_of({series.begin() + edge, series.end() - edge});
}

Bins bins_of(const std::vector<std::int64_t>& values) {
  LogHistogram histogram;
  histogram.add(values);
  return histogram.bins();
}

}  // namespace

void note_shape_of(const StepSeries& series, double limit, WindowFacts& window) {
  const std::uint64_t burst = std::max<std::uint64_t>(1, window.burst);
  window.get_blocked = inner_steps(series.get_blocked, burst);
  window.step = inner_steps(series.step, burst);
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

void note_line_times(const StepSeries& series, WorkersFacts& workers) {
  const std::size_t steps =
      std::min({series.made.size(), series.end.size(), series.get_blocked.size()});
  for (std::size_t k = steps - std::min(steps, kMadeTimes); k < steps; ++k) {
    if (series.made[k] <= 0) continue;  // filled before anybody looked
    const std::int64_t before = k > 0 ? series.end[k - 1] : 0;
    workers.made_ns.push_back(series.made[k]);
    workers.used_ns.push_back(series.end[k] - before - series.get_blocked[k]);
  }
}

}  // namespace benchbench
