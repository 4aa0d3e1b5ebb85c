// Lookups in ranges and maps: std::ranges::contains of C++23, and what is found as a pointer.
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

// Returns the first element of the range that, or that part of which, is equal to `value`; nullptr:
// there is none.
template <class Range, class Value, class Part = std::identity>
constexpr auto* find_element(Range& range, const Value& value, Part part = {}) {
  const auto at = std::ranges::find(range, value, part);
  return at == std::ranges::end(range) ? nullptr : &*at;
}

// Returns what a map has at this key; nullptr: nothing.
template <class Map, class Key>
constexpr auto* find_value(Map& map, const Key& key) {
  const auto at = map.find(key);
  return at == map.end() ? nullptr : &at->second;
}

}  // namespace benchbench
