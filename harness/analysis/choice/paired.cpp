#include "harness/analysis/choice/paired.h"

#include <algorithm>
#include <cmath>

#include "harness/analysis/statistics/statistics.h"
#include "harness/analysis/verdict.h"

namespace benchbench {
namespace {

constexpr double kErrors = 0.05;
// The least difference of ratios of few rounds in exact time, whatever is compared.
constexpr double kExactInFew = 0.05;

// What a mean log ratio must reach to be shown.
struct Bar {
  double half = 0;    // half of the interval that decides, of the mean
  double enough = 0;  // least difference of the ratio from 1
  bool reached(double mean, double ratio) const {
    return std::abs(ratio - 1) >= enough && std::abs(mean) > half;
  }
};

Bar bar_of(const std::vector<double>& d, double comparisons, double least, double floor) {
  const auto n = static_cast<double>(d.size());
  return {t_factor(n - 1, kErrors / comparisons) * standard_deviation(d) / std::sqrt(n),
          std::max(least, floor / std::sqrt(n))};
}

// One of them is enough to be shown.
std::vector<Bar> bars_of(const std::vector<double>& d, const PairedRule& rule) {
  const bool few = d.size() < kFirmRounds;
  std::vector<Bar> bars;
  if (few)
    bars.push_back(
        bar_of(d, 1, rule.exact ? kExactInFew : min_share(static_cast<std::uint32_t>(d.size())),
               rule.floor));
  if (!few || rule.exact)
    bars.push_back(bar_of(d, std::max(1u, rule.comparisons), min_share(kFirmRounds), rule.floor));
  return bars;
}

Shown shown_by(const Estimate& ratio, double mean, const std::vector<Bar>& bars) {
  if (ratio.low > 1 / (1 + kSame) && ratio.high < 1 + kSame) return Shown::same;
  if (std::ranges::none_of(bars, [&](const Bar& bar) { return bar.reached(mean, ratio.value); }))
    return Shown::not_shown;
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
  const std::vector<Bar> bars = bars_of(d, rule);
  out.shown = shown_by(*out.ratio, mean_of(d), bars);
  for (const Bar& bar : bars) {
    const double least = std::max(bar.enough, std::expm1(bar.half));
    out.detectable = std::min(out.detectable.value_or(least), least);
  }
  return out;
}

}  // namespace benchbench
