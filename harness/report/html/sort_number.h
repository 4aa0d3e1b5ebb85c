// What a cell of a table is sorted by.
#pragma once
#include <optional>
#include <string_view>

namespace benchbench {

// The number that a cell's text begins with, in the base unit of the one behind it: "1,234 ±4%" is
// 1234, "41.8 us" 4.18e-5, "3.9 GiB" 4.19e9, "98 %" 98, "(12)" 12. nullopt where it begins with
// none. For the order of cells of one column, which is rounded as they are.
std::optional<double> sort_number(std::string_view cell);

}  // namespace benchbench
