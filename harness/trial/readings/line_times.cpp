#include "harness/trial/readings/line_times.h"

#include <algorithm>

namespace benchbench {

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
