// std::ranges::contains of C++23.
#pragma once
#include <algorithm>
#include <functional>
#include <iterator>

namespace benchbench {

// Returns true if an element of the range, or that part of one, is equal to `value`.
template <class Range, class Value, class Part = std::identity>
constexpr bool contains(const Range& range, const Value& value, Part part = {}) {
  return std::ranges::find(range, value, part) != std::ranges::end(range);
}

}  // namespace benchbench
