// A number that was measured in several rounds.
#pragma once
#include <cmath>
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

inline std::optional<double> value_of(const Measured& m) noexcept {
  return m ? std::optional(m->value) : std::nullopt;
}
// A number of the whole run, of which rounds do not show how far it is certain.
constexpr Estimate known_once(double value) noexcept { return {value, value, value, 1}; }

inline Estimate scaled(const Estimate& e, double factor) noexcept {
  return {e.value * factor, e.low * factor, e.high * factor, e.n};
}
// Brings the estimate of logarithms back: a geometric mean whose interval is a factor.
inline Estimate exp_of_logs(const Estimate& e) noexcept {
  return {std::exp(e.value), std::exp(e.low), std::exp(e.high), e.n};
}
// True if the interval's ends are more than a factor of three apart.
constexpr bool is_wide(const Estimate& e) noexcept { return e.high > 3 * e.low; }
void visit_fields(const Estimate& e, auto&& visit) {
  visit("value", e.value);
  visit("low", e.low);
  visit("high", e.high);
  visit("n", e.n);
}

}  // namespace benchbench
