// Is B faster or slower than A? The whole decision of `compare`, as a pure function.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "harness/analysis/findings.h"

namespace benchbench {

enum class Difference : std::uint8_t { slower, faster, same, unsure };
std::string_view name_of(Difference d) noexcept;  // "SLOWER", ...

// A share of the rate: less is never called, whatever is asked for.
inline constexpr double kMinEffect = 0.03;
inline constexpr double kMinP = 0.002;  // raw p must be below
// Benjamini–Hochberg's q over all comparisons is at most this.
inline constexpr double kMaxFalse = 0.05;
inline constexpr std::uint32_t kRoundsToSpeak = 10;  // 2/2^10 is the first below kMinP

// Of one metric at one point, larger is better (rates).
struct ComparedRates {
  std::vector<double> a, b;  // logs; by round where `paired`, then of equal length
  bool paired = true;
  // For stored runs the larger of it and what the machine differs by from one session to the next.
  double min_effect = kMinEffect;
  // The cut of windows may put the ratio's logarithm off by as much, in all rounds alike; the
  // interval is as wide at least.
  double cut = 0;
};

struct Comparison {
  Difference difference = Difference::unsure;
  // B / A: the geometric mean with a 95 % t interval of the logs (Welch's where not paired).
  Measured ratio;
  double p = 1;                // exact: signed rank of pairs, Mann–Whitney of sets
  double q = 1;                // over all comparisons that can speak
  std::uint32_t n = 0;         // pairs; of sets the smaller one
  bool speaks = false;         // false: so few values that no outcome could have been called
  bool hidden_by_cut = false;  // it would have been called but for ComparedRates::cut
  // Standard error of the ratio's logarithm, with its degrees of freedom; both 0 under two values.
  double error = 0;
  double freedom = 0;
  // The change, as a share, that would have been called in 8 of 10 such comparisons: the larger of
  // what the ratio needs to be seen min_effect off (min_effect + 0.84 standard errors) and what the
  // exact rank test needs for its p with normal noise of this spread, a table that was simulated
  // (comparison.cpp; tests/known_answer/statistics checks both). q is not in it: beside many
  // comparisons more is needed. nullopt where no spread is known or nothing speaks.
  std::optional<double> detectable;
};

// All at once, since q is over all.
//   SLOWER, FASTER   p < 0.002, q <= 0.05 and the ratio at least min_effect (3 % or more) off 1,
//                    and more than the cut of windows explains: all of these.
//   SAME             not called, and the interval lies within min_effect of 1.
//   UNSURE           neither: told with what would have been detectable.
// Fewer than 10 pairs (or sets whose least p is not below 0.002) cannot speak and are UNSURE.
std::vector<Comparison> compare_all(std::span<const ComparedRates> all);

}  // namespace benchbench
