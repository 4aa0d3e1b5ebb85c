// Lookups that return what they find as a pointer; nullptr: it is not there.
#pragma once
#include <algorithm>
#include <functional>
#include <iterator>

namespace benchbench {

// Returns the first element of the range that, or that part of which, is equal to `value`.
template <class Range, class Value, class Part = std::identity>
constexpr auto* find_element(Range& range, const Value& value, Part part = {}) {
  const auto at = std::ranges::find(range, value, part);
  return at == std::ranges::end(range) ? nullptr : &*at;
}

// Returns what a map has at this key.
template <class Map, class Key>
constexpr auto* find_value(Map& map, const Key& key) {
  const auto at = map.find(key);
  return at == map.end() ? nullptr : &at->second;
}

}  // namespace benchbench
