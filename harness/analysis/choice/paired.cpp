#include "harness/analysis/choice/paired.h"

#include <algorithm>
#include <cmath>

#include "harness/analysis/rates/verdict.h"
#include "harness/analysis/statistics/difference.h"
#include "harness/analysis/statistics/statistics.h"

namespace benchbench {
namespace {

// One of these is enough to be shown.
std::vector<Policy> policies_of(std::uint32_t rounds, const PairedRule& rule) {
  const bool few = rounds < kFirmRounds;
  std::vector<Policy> out;
  if (few)
    out.push_back({.least = rule.exact ? kExactInFew : min_share(rounds), .floor = rule.floor});
  if (!few || rule.exact)
    out.push_back({.comparisons = std::max(1u, rule.comparisons),
                   .least = min_share(kFirmRounds),
                   .floor = rule.floor});
  return out;
}

Shown shown_as(Difference d, const Estimate& ratio) {
  if (d != Difference::unsure) return d == Difference::faster ? Shown::faster : Shown::slower;
  return ratio.low > 1 / (1 + kWorth) && ratio.high < 1 + kWorth ? Shown::same : Shown::not_shown;
}

}  // namespace

Paired compare_paired(const ByRound& logs, const ByRound& other, const PairedRule& rule) {
  const std::vector<double> d = differences_within(other, logs);
  Paired out;
  out.ratio = estimate_from_logs(d);
  if (!out.ratio) return out;
  out.shown = Shown::not_shown;
  if (d.size() < 2) return out;
  const Shift shift = shift_of_pairs(d);
  Difference found = Difference::unsure;
  for (const Policy& policy : policies_of(shift.n, rule)) {
    const Bar bar = make_bar(shift, policy);
    if (found == Difference::unsure) found = decide_rates(shift.mean, bar);
    out.detectable = std::min(out.detectable.value_or(HUGE_VAL), bar.detectable());
  }
  out.shown = shown_as(found, *out.ratio);
  return out;
}

}  // namespace benchbench
