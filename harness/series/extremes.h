// A long series in few values, none of its peaks lost.
#pragma once
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace benchbench {

// Its place in the series from 0, and what it is.
using PlacedValue = std::pair<std::uint64_t, std::int64_t>;

// Of each `width` neighbours (2 at least; the last ones may be fewer) the least and the most, in
// the order they came: where all are equal the first and the last of them, of a single one itself.
// So the least and the most of the whole series are kept, and about one value in width / 2.
std::vector<PlacedValue> extremes_of(std::span<const std::int64_t> values, std::size_t width);

// All of at most `most` values (2 at least), else the extremes of as narrow neighbourhoods as give
// no more than `most`.
std::vector<PlacedValue> thinned(std::span<const std::int64_t> values, std::size_t most);

}  // namespace benchbench
