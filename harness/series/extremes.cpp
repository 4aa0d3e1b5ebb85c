#include "harness/series/extremes.h"

#include <algorithm>

namespace benchbench {
namespace {

// `from`: the place of the first of them in the whole series.
void add_extremes(std::span<const std::int64_t> values, std::size_t from,
                  std::vector<PlacedValue>& out) {
  // `most` is the last of the largest.
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  const auto [first, last] = std::minmax(least, most);
  const auto add = [&](auto at) {
    out.emplace_back(from + static_cast<std::size_t>(at - values.begin()), *at);
  };
  add(first);
  if (last != first) add(last);
}

}  // namespace

std::vector<PlacedValue> extremes_of(std::span<const std::int64_t> values, std::size_t width) {
  std::vector<PlacedValue> out;
  for (std::size_t from = 0; from < values.size(); from += width)
    add_extremes(values.subspan(from, std::min(width, values.size() - from)), from, out);
  return out;
}

std::vector<PlacedValue> thinned(std::span<const std::int64_t> values, std::size_t most) {
  const std::size_t pairs = most / 2;
  const std::size_t width = values.size() <= most ? 1 : (values.size() + pairs - 1) / pairs;
  return extremes_of(values, width);
}

}  // namespace benchbench
