#include "harness/series/pace.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace benchbench {

std::int64_t pace_range(std::span<const std::int64_t> ends, const Stretch& stretch) noexcept {
  const std::uint64_t group = stretch.group;
  const std::size_t last = ends.size() / group * group;
  if (last == 0) return 0;
  const std::size_t first = std::min((stretch.ahead + group - 1) / group * group, last - group);
  const auto end_after = [&](std::size_t steps) {
    return steps > 0 ? static_cast<double>(ends[steps - 1]) : 0.0;
  };
  const double begin = end_after(first);
  const double pace = (end_after(last) - begin) / static_cast<double>(last - first);
  const double drained = static_cast<double>(stretch.drained_ns);
  double widest = std::abs(begin - pace * static_cast<double>(first) + drained);
  for (std::size_t place = first; place < first + group; ++place) {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (std::size_t steps = place; steps <= last; steps += group) {
      const double off = end_after(steps) - begin - pace * static_cast<double>(steps - first);
      low = std::min(low, off);
      high = std::max(high, off);
    }
    widest = std::max(widest, high - low);
  }
  return std::llround(std::min(widest, end_after(last) + drained));
}

}  // namespace benchbench
