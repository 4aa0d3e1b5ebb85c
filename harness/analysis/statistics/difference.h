// Is B faster or slower than A? The one decision of all that ask it: the choice in a run, compare
// and its confirmation, tune, require, a moved stage, the side of a script, a look of history. They
// differ in their policies; decisions/one-difference.md has the table of them. Pure functions.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "harness/analysis/statistics/estimate.h"
#include "harness/analysis/statistics/thresholds.h"

namespace benchbench {

enum class Difference : std::uint8_t { slower, faster, same, unsure };

// A mean with its standard error and the degrees of freedom of that, of `n` values. Of rates the
// values are logarithms.
struct Shift {
  double mean = 0, error = 0, freedom = 0;
  std::uint32_t n = 0;

  // Returns half of the two-sided interval of Student's t, of which the share `errors` miss; 0 if
  // no error is known, as of one value.
  double half(double errors = kErrors) const;
  Estimate interval(double errors = kErrors) const;
  // Returns the chance that the true mean is above.
  double chance_above(double value) const;
};
// Returns the mean of what pairs differ by, or of any values.
Shift shift_of_pairs(std::span<const double> differences);
// Returns what the mean of b is above that of a, two sets that may spread differently (Welch); of
// an empty one n is 0.
Shift shift_of_sets(std::span<const double> a, std::span<const double> b);

// The shift of Hodges and Lehmann, with the values that the exact rank test does not reject: signed
// ranks of pairs, Mann and Whitney's of two sets. nullopt under two values.
Measured rank_shift_of_pairs(std::span<const double> differences, double errors);
Measured rank_shift_of_sets(std::span<const double> a, std::span<const double> b, double errors);

// The conditions for a difference to be called.
struct Policy {
  double errors = kErrors;        // of intervals that may miss
  std::uint32_t comparisons = 1;  // that share the errors (Bonferroni)
  double least = 0;               // less is not called: a share of the rate, or in the values' unit
  double floor = 0;  // what one pair of identical trials differs by (A/A): of n pairs floor / √n
  double cut = 0;    // the cut of windows may put the mean off by as much, in all rounds alike
};
// The bar for a shift: its mean must lie beyond `half`, its change be at least `least`.
struct Bar {
  double half = 0, least = 0;
  // Returns the smallest change that would be called of rates.
  double detectable() const;
};
Bar make_bar(const Shift& shift, const Policy& policy);

// The decision: faster or slower if the interval is clear of 0 and the change, in the unit of
// `least`, is large enough; else unsure.
Difference decide(const Estimate& interval, double change, double least) noexcept;
// The same of an interval in the unit of `least`.
Difference decide(const Estimate& change, double least) noexcept;
// The same of a mean of logarithms, whose change is a share.
Difference decide_rates(double mean, const Bar& bar) noexcept;

// One metric at one point, of which larger is better.
struct ComparedRates {
  std::vector<double> a, b;  // logs; by round where `paired`, then of equal length
  bool paired = true;
  // For stored runs the larger of it and what the machine differs by from one session to the next.
  double min_effect = kMinEffect;
  // The cut of windows may put the ratio's logarithm off by as much, in all rounds alike; the
  // interval is as wide at least.
  double cut = 0;
};

// Returns b - a of the pairs.
std::vector<double> differences(const ComparedRates& rates);

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
  // (difference.cpp; tests/known_answer/statistics checks both). q is not in it: among many
  // comparisons more is needed. nullopt where no spread is known or nothing speaks.
  std::optional<double> detectable;
};

// All at once, since q is over all.
//   SLOWER, FASTER   p < 0.002, q <= 0.05 and the ratio at least min_effect (3 % or more) off 1,
//                    and more than the cut of windows explains: all of these.
//   SAME             not called, and the interval lies within min_effect of 1.
//   UNSURE           neither: `detectable` is what would have been called.
// Fewer than 10 pairs (or sets whose least p is not below 0.002) cannot speak and are UNSURE.
std::vector<Comparison> compare_all(std::span<const ComparedRates> all);

}  // namespace benchbench
