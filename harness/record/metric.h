// Every number we print: its name, unit, one-sentence definition and which way is better, so that
// every printer and `describe` say the same.
#pragma once
#include <span>
#include <string_view>

namespace benchbench {

enum class Better : unsigned char { higher, lower, neither };

struct Metric {
  std::string_view name;    // "loader_rate"
  std::string_view symbol;  // "L", "" where it has none
  std::string_view unit;    // "samples/s", "ms", "share"
  Better better;
  std::string_view definition;  // with the formula
};

std::span<const Metric> metrics() noexcept;
const Metric* find_metric(std::string_view name) noexcept;

}  // namespace benchbench
