#include "harness/series/pace.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace benchbench {

std::int64_t pace_range(std::span<const std::int64_t> ends, const Stretch& stretch) noexcept {
  const std::uint64_t group = stretch.group;
  const std::size_t first = (stretch.ahead + group - 1) / group * group;
  const std::size_t last = ends.size() / group * group;
  if (last <= first) return 0;
  const auto end_after = [&](std::size_t steps) {
    return steps > 0 ? static_cast<double>(ends[steps - 1]) : 0.0;
  };
  const double begin = end_after(first);
  const double pace = (end_after(last) - begin) / static_cast<double>(last - first);
  double widest =
      std::abs(begin - pace * static_cast<double>(first) + static_cast<double>(stretch.drained_ns));
  for (std::size_t place = first; place < first + group; ++place) {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (std::size_t steps = place; steps <= last; steps += group) {
      const double off = end_after(steps) - begin - pace * static_cast<double>(steps - first);
      low = std::min(low, off);
      high = std::max(high, off);
    }
    widest = std::max(widest, high - low);
  }
  return std::llround(widest);
}

}  // namespace benchbench
