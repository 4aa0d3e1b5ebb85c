// How bad it is, by the share of the step that is lost.
#pragma once
#include <array>
#include <cstdint>
#include <string_view>

#include "harness/analysis/statistics/thresholds.h"
#include "harness/core/words.h"

namespace benchbench {

enum class Severity : std::uint8_t { none, minor, moderate, high, critical };
template <>
inline constexpr auto kWordsOf<Severity> =
    std::to_array<std::string_view>({"", "minor", "moderate", "high", "critical"});

// From kWorth on: 2–5 % minor, 5–10 % moderate, 10–20 % high, over 20 % critical.
// Shares are quotients: what lies on a limit may come out a hair beside it.
constexpr Severity severity_of(double quotient) noexcept {
  const double share = quotient < 0.15 ? quotient + 1e-9 : quotient - 1e-9;
  return share < kWorth  ? Severity::none
         : share < 0.05  ? Severity::minor
         : share < 0.10  ? Severity::moderate
         : share <= 0.20 ? Severity::high
                         : Severity::critical;
}

}  // namespace benchbench
