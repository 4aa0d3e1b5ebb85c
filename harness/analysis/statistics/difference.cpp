#include "harness/analysis/statistics/difference.h"

#include <algorithm>
#include <array>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <functional>
#include <limits>

#include "harness/analysis/statistics/exact_tests.h"
#include "harness/analysis/statistics/statistics.h"

namespace benchbench {
namespace {

constexpr double kPower = 0.8;  // the share of cases that `detectable` is called in

using StudentsT = boost::math::students_t;

// The part of a set in the variance of a difference of means, and in its degrees of freedom.
struct SetVariance {
  double variance = 0, freedom = 0;
  explicit SetVariance(std::span<const double> values) {
    const auto n = static_cast<double>(values.size());
    const double s = standard_deviation(values);
    variance = s * s / n;
    freedom = n > 1 ? variance * variance / (n - 1) : 0;
  }
};

// Returns the shifts that the test does not reject: `candidates` are the values at which its p
// changes, and p rises from both ends to their median, which is the estimate of Hodges and Lehmann.
Estimate unrejected(std::vector<double> candidates, const std::function<double(double)>& p_at,
                    double errors, std::size_t n) {
  std::ranges::sort(candidates);
  const std::size_t middle = candidates.size() / 2;
  const auto is_rejected = [&](double shift) { return p_at(shift) < errors; };
  const auto low = std::partition_point(
      candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(middle), is_rejected);
  const auto high = std::partition_point(
      candidates.rbegin(), candidates.rend() - static_cast<std::ptrdiff_t>(middle) - 1,
      is_rejected);
  const double value = candidates.size() % 2 ? candidates[middle]
                                             : (candidates[middle - 1] + candidates[middle]) / 2;
  return {value, std::min(*low, value), std::max(*high, value), static_cast<std::uint32_t>(n)};
}

std::vector<double> moved_by(std::span<const double> values, double shift) {
  std::vector<double> moved;
  for (const double v : values) moved.push_back(v - shift);
  return moved;
}

}  // namespace

double Shift::half(double errors) const {
  if (!(error > 0) || !(freedom > 0)) return 0;
  return boost::math::quantile(StudentsT(freedom), 1 - errors / 2) * error;
}

Estimate Shift::interval(double errors) const {
  return {mean, mean - half(errors), mean + half(errors), n};
}

double Shift::chance_above(double value) const {
  if (!(error > 0) || !(freedom > 0)) return mean > value ? 1 : 0;
  return boost::math::cdf(boost::math::complement(StudentsT(freedom), (value - mean) / error));
}

Shift shift_of_pairs(std::span<const double> differences) {
  const auto n = static_cast<double>(differences.size());
  if (differences.empty()) return {};
  return {mean_of(differences), standard_deviation(differences) / std::sqrt(n), n - 1,
          static_cast<std::uint32_t>(differences.size())};
}

Shift shift_of_sets(std::span<const double> a, std::span<const double> b) {
  if (a.empty() || b.empty()) return {};
  const SetVariance of_a(a), of_b(b);
  const double variance = of_a.variance + of_b.variance;
  const double freedom = variance > 0 ? variance * variance / (of_a.freedom + of_b.freedom) : 0;
  return {mean_of(b) - mean_of(a), std::sqrt(variance), freedom,
          static_cast<std::uint32_t>(std::min(a.size(), b.size()))};
}

Measured rank_shift_of_pairs(std::span<const double> d, double errors) {
  if (d.size() < 2) return std::nullopt;
  std::vector<double> means;
  for (std::size_t i = 0; i < d.size(); ++i)
    for (std::size_t j = i; j < d.size(); ++j) means.push_back((d[i] + d[j]) / 2);
  return unrejected(
      std::move(means), [&](double shift) { return signed_rank_p(moved_by(d, shift)); }, errors,
      d.size());
}

Measured rank_shift_of_sets(std::span<const double> a, std::span<const double> b, double errors) {
  if (a.size() < 2 || b.size() < 2) return std::nullopt;
  std::vector<double> differences;
  for (const double x : a)
    for (const double y : b) differences.push_back(y - x);
  return unrejected(
      std::move(differences), [&](double shift) { return mann_whitney_p(a, moved_by(b, shift)); },
      errors, std::min(a.size(), b.size()));
}

double Bar::detectable() const { return std::max(least, std::expm1(half)); }

Bar make_bar(const Shift& shift, const Policy& policy) {
  return {std::max(shift.half(policy.errors / policy.comparisons), policy.cut),
          std::max(policy.least, policy.floor / std::sqrt(shift.n))};
}

Difference decide(const Estimate& interval, double change, double least) noexcept {
  if (std::abs(change) < least) return Difference::unsure;
  if (interval.low > 0) return Difference::faster;
  return interval.high < 0 ? Difference::slower : Difference::unsure;
}

Difference decide(const Estimate& change, double least) noexcept {
  return decide(change, change.value, least);
}

Difference decide_rates(double mean, const Bar& bar) noexcept {
  return decide({mean, mean - bar.half, mean + bar.half, 0}, std::exp(mean) - 1, bar.least);
}

std::vector<double> differences(const ComparedRates& rates) {
  std::vector<double> d;
  for (std::size_t i = 0; i < std::min(rates.a.size(), rates.b.size()); ++i)
    d.push_back(rates.b[i] - rates.a[i]);
  return d;
}

namespace {

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
// The same for two sets of n each.
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
double detectable_of(const Shift& shift, const ComparedRates& rates) {
  const double seen =
      least_effect(rates) + boost::math::quantile(boost::math::normal(), kPower) * shift.error;
  const auto table = rates.paired ? std::span<const RankPower>(kSignedRank)
                                  : std::span<const RankPower>(kMannWhitney);
  return std::max(
      {seen, std::expm1(errors_found(table, shift.n) * shift.error), std::expm1(rates.cut)});
}

Comparison measured(const ComparedRates& rates) {
  Comparison out;
  out.n = static_cast<std::uint32_t>(std::min(rates.a.size(), rates.b.size()));
  if (out.n == 0) return out;
  const auto d = differences(rates);
  const Shift shift = rates.paired ? shift_of_pairs(d) : shift_of_sets(rates.a, rates.b);
  const double half = out.n > 1 ? make_bar(shift, {.cut = rates.cut}).half : 0;
  out.ratio = exp_of_logs({shift.mean, shift.mean - half, shift.mean + half, out.n});
  if (out.n == 1) return out;
  out.error = shift.error, out.freedom = shift.freedom;
  out.p = rates.paired ? signed_rank_p(d) : mann_whitney_p(rates.a, rates.b);
  out.speaks = min_p(rates) < kMinP;
  if (out.speaks) out.detectable = detectable_of(shift, rates);
  return out;
}

// The exact test stands for an interval: nothing is beyond one that it does not exclude.
Difference decide_by_ranks(const Comparison& c, double cut, double effect) {
  const double mean = std::log(c.ratio->value),
               half =
                   c.p < kMinP && c.q <= kMaxFalse ? cut : std::numeric_limits<double>::infinity();
  return decide({mean, mean - half, mean + half, c.n}, c.ratio->value - 1, effect);
}

void decide_comparison(Comparison& c, const ComparedRates& rates) {
  if (!c.speaks) return;
  const double effect = least_effect(rates);
  c.difference = decide_by_ranks(c, rates.cut, effect);
  if (c.difference != Difference::unsure) return;
  c.hidden_by_cut = decide_by_ranks(c, 0, effect) != Difference::unsure;
  const bool is_within = c.ratio->low > 1 - effect && c.ratio->high < 1 + effect;
  if (is_within && !c.hidden_by_cut) c.difference = Difference::same;
}

}  // namespace

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
    decide_comparison(out[i], all[i]);
  }
  return out;
}

}  // namespace benchbench
