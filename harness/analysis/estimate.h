// A number that was measured in several rounds.
#pragma once
#include <cstdint>
#include <optional>

namespace benchbench {

// A mean over rounds with a 95 % t interval (of the logarithms for rates and ratios). low == high
// == value where n < 2, and `n` says so.
struct Estimate {
  double value = 0, low = 0, high = 0;
  std::uint32_t n = 0;
};
using Measured = std::optional<Estimate>;  // nullopt: not measured

void visit_fields(const Estimate& e, auto&& visit) {
  visit("value", e.value);
  visit("low", e.low);
  visit("high", e.high);
  visit("n", e.n);
}

}  // namespace benchbench
