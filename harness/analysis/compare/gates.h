// What makes a comparison fail, and how often that would happen with nothing changed.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/analysis/compare/comparison_findings.h"
#include "harness/analysis/statistics/difference.h"

namespace benchbench {

enum class GateOf : std::uint8_t { slower, wait, startup, first_batch, memory, verdict };
template <>
inline constexpr auto kWordsOf<GateOf> = std::to_array<std::string_view>(
    {"slower", "wait", "startup", "first_batch", "memory", "verdict"});

// `slower` is of the three rates. `verdict` is of the binding side and has no share.
struct Gate {
  GateOf of = GateOf::slower;
  double share = kMinEffect;
};

// "slower:3%,wait:0.05,verdict"; throws UsageError naming what is wrong, and the nearest spelling.
std::vector<Gate> gates_from(std::string_view text);

// True if the gate looks at that metric.
bool is_gated_by(GateOf gate, const Metric& metric) noexcept;

struct BrokenGate {
  std::size_t point = 0;              // of ComparisonFindings::points
  std::optional<std::size_t> metric;  // of its metrics; nullopt: its side moved
};
struct GateResult {
  Gate gate;
  std::vector<BrokenGate> broken;  // SLOWER by at least the share
  std::size_t compared = 0;        // comparisons that it is of
  std::size_t silent = 0;  // of these, INVALID or without enough usable rounds to call anything
  std::size_t unsure = 0;  // of these, UNSURE for other reasons
  // Expected in a month of one comparison a night where nothing changes, as an upper bound: the sum
  // of the chances of all looks, of which earlier ones had fewer rounds; nullopt where nothing can
  // be said (no spread known, a verdict).
  std::optional<double> false_alarms_a_month;
};
std::vector<GateResult> results_of(const ComparisonFindings& findings,
                                   const std::vector<Gate>& gates);

inline constexpr double kNightsAMonth = 30.4;

// The chance that one comparison without a change is SLOWER by at least `share`. A call needs the
// exact test's p < 0.002, half of it on this side, and the change beyond max(share, threshold): P =
// min(0.001, P(t > ln(1 + x) / error)), a t distribution with the comparison's degrees of freedom.
// Of stored runs the difference between sessions comes on top: it is taken as normal, with `spread`
// as what 999 of 1,000 differences stay below (3.29 standard deviations), and the p of rounds
// within sessions bounds nothing: P(N > ln(1 + x) / √(error² + (spread / 3.29)²)).
// Benjamini–Hochberg's q makes it rarer: an upper bound.
double false_alarm_chance(const MetricComparison& c, double share, Relation relation,
                          double spread);

}  // namespace benchbench
