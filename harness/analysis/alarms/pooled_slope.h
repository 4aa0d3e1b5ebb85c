// A straight line through several groups of points that each have a level of their own.
#pragma once
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace benchbench {

using PointsOfGroup = std::vector<std::pair<double, double>>;  // (x, y)

// dy/dx by least squares within groups, with the lower bound of its 95 % t interval.
struct PooledSlope {
  double value = 0, low = 0;
};
// nullopt where the points are too few for an interval (those of groups of two or more, less a
// level each and the slope) or all x of each group are one.
std::optional<PooledSlope> pooled_slope(std::span<const PointsOfGroup> groups);

}  // namespace benchbench
