// How bad it is, in one word, by the share of the step that is lost.
#pragma once
#include <string_view>

namespace benchbench {

// 2–5 % minor, 5–10 % moderate, 10–20 % high, over 20 % critical; "" for less.
// Shares are quotients: what lies on a limit may come out a hair beside it.
constexpr std::string_view severity_of(double quotient) noexcept {
  const double share = quotient < 0.15 ? quotient + 1e-9 : quotient - 1e-9;
  return share < 0.02    ? ""
         : share < 0.05  ? "minor"
         : share < 0.10  ? "moderate"
         : share <= 0.20 ? "high"
                         : "critical";
}

}  // namespace benchbench
