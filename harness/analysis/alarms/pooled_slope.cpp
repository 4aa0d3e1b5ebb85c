#include "harness/analysis/alarms/pooled_slope.h"

#include <algorithm>
#include <cmath>

#include "harness/analysis/statistics/difference.h"

namespace benchbench {

std::optional<PooledSlope> pooled_slope(std::span<const PointsOfGroup> groups) {
  double xx = 0, xy = 0, yy = 0, freedom = -1;
  for (const PointsOfGroup& group : groups) {
    if (group.size() < 2) continue;
    const auto n = static_cast<double>(group.size());
    double x_mean = 0, y_mean = 0;
    for (const auto& [x, y] : group) x_mean += x / n, y_mean += y / n;
    for (const auto& [x, y] : group) {
      xx += (x - x_mean) * (x - x_mean);
      xy += (x - x_mean) * (y - y_mean);
      yy += (y - y_mean) * (y - y_mean);
    }
    freedom += n - 1;
  }
  if (freedom < 1 || !(xx > 0)) return std::nullopt;
  const double slope = xy / xx, rest = std::max(0.0, yy - slope * xy);
  return PooledSlope{slope,
                     slope - Shift{slope, std::sqrt(rest / freedom / xx), freedom, 0}.half()};
}

}  // namespace benchbench
