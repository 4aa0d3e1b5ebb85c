#include "harness/analysis/statistics/comparison.h"

#include <algorithm>
#include <array>
#include <boost/math/distributions/normal.hpp>
#include <cmath>

#include "harness/analysis/statistics/exact_tests.h"
#include "harness/analysis/statistics/statistics.h"

namespace benchbench {
namespace {

constexpr double kPower = 0.8;

// A mean of logs with its standard error.
struct Shift {
  double mean = 0, error = 0, freedom = 0;
};

std::vector<double> differences(const ComparedRates& rates) {
  std::vector<double> d;
  for (std::size_t i = 0; i < std::min(rates.a.size(), rates.b.size()); ++i)
    d.push_back(rates.b[i] - rates.a[i]);
  return d;
}

Shift paired_shift(const std::vector<double>& d) {
  const auto n = static_cast<double>(d.size());
  return {mean_of(d), standard_deviation(d) / std::sqrt(n), n - 1};
}

// Welch's: the sets may spread differently.
Shift unpaired_shift(const ComparedRates& rates) {
  const auto part = [](const std::vector<double>& v) {
    const double s = standard_deviation(v);
    return s * s / static_cast<double>(v.size());
  };
  const double a = part(rates.a), b = part(rates.b);
  const double n = static_cast<double>(rates.a.size()), m = static_cast<double>(rates.b.size());
  const double freedom =
      a + b > 0 ? (a + b) * (a + b) / (a * a / (n - 1) + b * b / (m - 1)) : n + m - 2;
  return {mean_of(rates.b) - mean_of(rates.a), std::sqrt(a + b), freedom};
}

// The least p that this many values can give: all signs alike, or all of one set above the other.
double min_p(const ComparedRates& rates) {
  if (rates.paired)
    return std::ldexp(2.0, -static_cast<int>(std::min(rates.a.size(), rates.b.size())));
  double ways = 1;
  for (std::size_t i = 1; i <= rates.a.size(); ++i)
    ways *= static_cast<double>(rates.b.size() + i) / static_cast<double>(i);
  return 2 / ways;
}

// An effect in units of its standard error that a rank test with p < kMinP finds in kPower of all
// sets of n values whose noise is normal. By simulation, 60,000 sets each. It falls by steps, since
// the p of few values does.
struct RankPower {
  double n, errors;
};
constexpr std::array kSignedRank{RankPower{10, 6.36}, RankPower{11, 5.68}, RankPower{12, 5.63},
                                 RankPower{13, 5.28}, RankPower{14, 5.10}, RankPower{15, 5.07},
                                 RankPower{16, 4.90}, RankPower{17, 4.84}, RankPower{18, 4.70},
                                 RankPower{20, 4.60}, RankPower{25, 4.48}, RankPower{30, 4.38},
                                 RankPower{40, 4.26}, RankPower{60, 4.18}, RankPower{100, 4.10}};
// Of two sets of n each.
constexpr std::array kMannWhitney{RankPower{7, 5.67},  RankPower{8, 5.01},  RankPower{9, 4.83},
                                  RankPower{10, 4.81}, RankPower{11, 4.63}, RankPower{12, 4.56},
                                  RankPower{15, 4.41}, RankPower{20, 4.30}, RankPower{25, 4.24},
                                  RankPower{30, 4.18}};

double errors_found(std::span<const RankPower> table, double n) {
  if (n <= table.front().n) return table.front().errors;
  for (std::size_t i = 1; i < table.size(); ++i)
    if (const RankPower &low = table[i - 1], &high = table[i]; n <= high.n)
      return low.errors + (high.errors - low.errors) * (n - low.n) / (high.n - low.n);
  return table.back().errors;
}

double least_effect(const ComparedRates& rates) { return std::max(kMinEffect, rates.min_effect); }

// All that a call needs, the p and a ratio that is seen at least `effect` off, each in kPower of
// the cases: what needs more decides.
double detectable_of(const Shift& shift, std::uint32_t n, bool paired, double effect) {
  const double seen = effect + boost::math::quantile(boost::math::normal(), kPower) * shift.error;
  const auto table =
      paired ? std::span<const RankPower>(kSignedRank) : std::span<const RankPower>(kMannWhitney);
  return std::max(seen, std::expm1(errors_found(table, n) * shift.error));
}

Comparison measured(const ComparedRates& rates) {
  Comparison out;
  out.n = static_cast<std::uint32_t>(std::min(rates.a.size(), rates.b.size()));
  if (out.n == 0) return out;
  const auto d = differences(rates);
  if (out.n == 1) {
    const double ratio = std::exp(mean_of(rates.b) - mean_of(rates.a));
    out.ratio = Estimate{ratio, ratio, ratio, 1};
    return out;
  }
  const Shift shift = rates.paired ? paired_shift(d) : unpaired_shift(rates);
  out.error = shift.error, out.freedom = shift.freedom;
  const double half = std::max(t_factor(shift.freedom) * shift.error, rates.cut);
  out.ratio = Estimate{std::exp(shift.mean), std::exp(shift.mean - half),
                       std::exp(shift.mean + half), out.n};
  out.p = rates.paired ? signed_rank_p(d) : mann_whitney_p(rates.a, rates.b);
  out.speaks = min_p(rates) < kMinP;
  if (out.speaks)
    out.detectable = std::max(detectable_of(shift, out.n, rates.paired, least_effect(rates)),
                              std::expm1(rates.cut));
  return out;
}

bool is_called(const Comparison& c, double effect) {
  return c.speaks && c.p < kMinP && c.q <= kMaxFalse && std::abs(c.ratio->value - 1) >= effect;
}

// True if the cut of windows alone may be all of the change.
bool is_within_cut(const Comparison& c, double cut) {
  return cut > 0 && std::abs(std::log(c.ratio->value)) <= cut;
}

Difference decide(const Comparison& c, double effect) {
  if (!c.speaks || c.hidden_by_cut) return Difference::unsure;
  const double ratio = c.ratio->value;
  if (is_called(c, effect)) return ratio < 1 ? Difference::slower : Difference::faster;
  const bool within = c.ratio->low > 1 - effect && c.ratio->high < 1 + effect;
  return within ? Difference::same : Difference::unsure;
}

}  // namespace

std::string_view name_of(Difference d) noexcept {
  constexpr std::array<std::string_view, 4> names{"SLOWER", "FASTER", "SAME", "UNSURE"};
  return names[static_cast<std::size_t>(d)];
}

std::vector<Comparison> compare_all(std::span<const ComparedRates> all) {
  std::vector<Comparison> out;
  std::vector<double> p;
  for (const ComparedRates& rates : all) {
    out.push_back(measured(rates));
    if (out.back().speaks) p.push_back(out.back().p);
  }
  const auto q = false_discovery_rates(p);
  std::size_t next = 0;
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (out[i].speaks) out[i].q = q[next++];
    const double effect = least_effect(all[i]);
    out[i].hidden_by_cut = is_called(out[i], effect) && is_within_cut(out[i], all[i].cut);
    out[i].difference = decide(out[i], effect);
  }
  return out;
}

}  // namespace benchbench
