#include "harness/series/extremes.h"

#include <algorithm>

namespace benchbench {
namespace {

void add_extremes(std::span<const std::int64_t> values, std::size_t from, std::size_t to,
                  std::vector<PlacedValue>& out) {
  // `most` is the last of the largest.
  const auto [least, most] = std::minmax_element(values.begin() + static_cast<std::ptrdiff_t>(from),
                                                 values.begin() + static_cast<std::ptrdiff_t>(to));
  const auto place = [&](auto at) { return static_cast<std::size_t>(at - values.begin()); };
  const std::size_t first = std::min(place(least), place(most)),
                    last = std::max(place(least), place(most));
  out.emplace_back(first, values[first]);
  if (last != first) out.emplace_back(last, values[last]);
}

}  // namespace

std::vector<PlacedValue> extremes_of(std::span<const std::int64_t> values, std::size_t width) {
  std::vector<PlacedValue> out;
  for (std::size_t from = 0; from < values.size(); from += width)
    add_extremes(values, from, std::min(from + width, values.size()), out);
  return out;
}

std::vector<PlacedValue> thinned(std::span<const std::int64_t> values, std::size_t most) {
  const std::size_t pairs = most / 2;
  const std::size_t width = values.size() <= most ? 1 : (values.size() + pairs - 1) / pairs;
  return extremes_of(values, width);
}

}  // namespace benchbench
