#include "harness/analysis/choice/paired.h"

#include <algorithm>
#include <cmath>

#include "harness/analysis/statistics/statistics.h"
#include "harness/analysis/verdict.h"

namespace benchbench {
namespace {

constexpr double kErrors = 0.05;

// Half of the interval that decides, of the mean log ratio.
double deciding_half(const std::vector<double>& d, const PairedRule& rule) {
  const auto n = static_cast<double>(d.size());
  const double comparisons = d.size() < kFirmRounds ? 1 : std::max(1u, rule.comparisons);
  return t_factor(n - 1, kErrors / comparisons) * standard_deviation(d) / std::sqrt(n);
}

Shown shown_by(const Estimate& ratio, double mean, double half, double enough) {
  if (ratio.low > 1 / (1 + kSame) && ratio.high < 1 + kSame) return Shown::same;
  if (std::abs(ratio.value - 1) < enough || std::abs(mean) <= half) return Shown::not_shown;
  return ratio.value > 1 ? Shown::faster : Shown::slower;
}

}  // namespace

Paired compare_paired(const ByRound& logs, const ByRound& other, const PairedRule& rule) {
  std::vector<double> d;
  for (const auto& [round, log] : logs)
    if (const auto at = other.find(round); at != other.end()) d.push_back(log - at->second);
  Paired out;
  out.ratio = estimate_from_logs(d);
  if (!out.ratio) return out;
  out.shown = Shown::not_shown;
  if (d.size() < 2) return out;
  const double half = deciding_half(d, rule);
  const double enough = std::max(min_share(out.ratio->n), rule.floor / std::sqrt(static_cast<double>(d.size())));
  out.shown = shown_by(*out.ratio, mean_of(d), half, enough);
  out.detectable = std::max(enough, std::expm1(half));
  return out;
}

}  // namespace benchbench
