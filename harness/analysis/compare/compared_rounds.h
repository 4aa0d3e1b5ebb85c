// The values of one metric of two trials by round, as they are compared.
#pragma once
#include "harness/analysis/compare/comparison_findings.h"
#include "harness/analysis/rules/judged_trials.h"

namespace benchbench {

struct TrialPair {
  std::uint32_t a = 0, b = 0;
  bool operator==(const TrialPair&) const = default;
};

// Rounds chosen and brought to logarithms of which more is better: of the wait its share of A's
// step, negative.
struct ComparedRounds {
  std::vector<double> values_a, values_b;  // in the metric's unit
  ComparedRates rates;                     // empty where a side has no usable round
  double phase_a = 0, phase_b = 0;         // phase_share() of each side; 0 of what is no rate
  std::uint32_t noisy = 0, left_out = 0;   // MetricComparison
};
ComparedRounds compared_rounds(const JudgedTrials& a, const JudgedTrials& b, TrialPair trials,
                               const Metric& metric, bool paired);

// Fills in what the rounds and their comparison say of the metric: all but its judgement.
void describe(const ComparedRounds& rounds, const Comparison& comparison, MetricComparison& out);

}  // namespace benchbench
