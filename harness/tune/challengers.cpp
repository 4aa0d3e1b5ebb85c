#include "harness/tune/challengers.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "harness/core/contains.h"
#include "harness/core/random.h"

namespace benchbench {
namespace {

// A point on the very edge stays undecided however often it is measured.
constexpr std::uint32_t kEnoughTrials = 8;
// Chance of being as good that a cheaper point must have to be measured.
constexpr double kUndecided = 0.15;

double density(double z) {
  return std::exp(-0.5 * z * z) * std::numbers::inv_sqrtpi / std::numbers::sqrt2;
}
double share_below(double z) { return 0.5 * std::erfc(-z / std::numbers::sqrt2); }

double expected_gain(double mean, double variance, double best) {
  const double sd = std::sqrt(variance), z = (mean - best) / sd;
  return sd * (z * share_below(z) + density(z));
}

// Values 0..values-1 in `count` strata, in random order.
std::vector<std::uint32_t> stratified(std::size_t values, std::size_t count, Random& random) {
  std::vector<std::uint32_t> out;
  for (std::size_t i = 0; i < count; ++i) {
    const double share = (static_cast<double>(i) + random.uniform()) / static_cast<double>(count);
    out.push_back(
        static_cast<std::uint32_t>(std::min(share, 0.999999) * static_cast<double>(values)));
  }
  for (std::size_t i = out.size(); i > 1; --i) std::swap(out[i - 1], out[random.below(i)]);
  return out;
}

// By both beliefs; `variance`: what is left of that of the learned one.
double gain_expected(const Standing& s, std::size_t i, double variance) {
  const double best = s.value(s.best);
  return (1 - kWaryShare) * expected_gain(s.belief.mean[i], variance, best) +
         kWaryShare * expected_gain(s.wary.mean[i], s.wary.variance[i], best) * variance /
             s.belief.variance[i];
}

// Those cheaper than the chosen point and perhaps as good, the likeliest first, by -chance.
std::vector<std::pair<double, PointId>> perhaps_as_good(const TuneProblem& problem,
                                                        const Standing& s, PointId chosen) {
  const double enough = std::min(s.belief.mean[s.best], s.ceiling) - std::log1p(problem.worth);
  std::vector<std::pair<double, PointId>> by_chance;
  for (std::size_t i = 0; i < s.belief.points.size(); ++i) {
    if (i == s.best || s.n[i] >= kEnoughTrials) continue;
    if (!is_cheaper(problem.space, s.belief.points[i], chosen)) continue;
    const double chance =
        share_below((s.belief.mean[i] - enough) / std::hypot(s.error(i), s.error(s.best)));
    if (chance > kUndecided) by_chance.emplace_back(-chance, s.belief.points[i]);
  }
  std::ranges::sort(by_chance);
  return by_chance;
}

// What a trial of `picked` would take from the variance of every other point.
void take_known(const SearchState& state, std::size_t picked, std::vector<double>& variance) {
  const double noise = state.standing.levels.noise * state.standing.levels.noise;
  const double whole = variance[picked] + noise;
  for (std::size_t i = 0; i < variance.size(); ++i) {
    const double c = state.surface.learned().covariance(state.standing.belief, i, picked);
    variance[i] = std::max(1e-10, variance[i] - c * c / whole);
  }
}

}  // namespace

std::vector<PointId> spread_points(const TuneProblem& problem, const Feasible& feasible,
                                   std::uint32_t round, std::size_t count) {
  Random random(mix_seed(problem.seed, round));
  const auto& knobs = problem.space.knobs();
  std::vector<std::vector<std::uint32_t>> indexes;
  for (const Knob& knob : knobs) indexes.push_back(stratified(knob.values.size(), count, random));
  std::vector<PointId> out;
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<std::uint32_t> digits;
    for (const auto& of_knob : indexes) digits.push_back(of_knob[i]);
    const PointId p = problem.space.point_of(digits);
    if (feasible.is(p) && !contains(out, p)) out.push_back(p);
  }
  return out;
}

std::vector<PointId> promising_points(const SearchState& state, std::size_t count) {
  const Belief& b = state.standing.belief;
  std::vector<double> variance = b.variance;
  std::vector<PointId> out;
  while (out.size() < std::min(count, b.points.size() - 1)) {
    std::size_t most = b.points.size();
    double gain = -1;
    for (std::size_t i = 0; i < b.points.size(); ++i) {
      if (i == state.standing.best || contains(out, b.points[i])) continue;
      const double g = gain_expected(state.standing, i, variance[i]);
      if (g > gain) gain = g, most = i;
    }
    if (most == b.points.size()) break;
    out.push_back(b.points[most]);
    take_known(state, most, variance);
  }
  return out;
}

std::vector<PointId> undecided_points(const TuneProblem& problem, const SearchState& state,
                                      std::size_t count) {
  const Standing& s = state.standing;
  const std::size_t chosen = chosen_of(problem, s);
  const PointId point = s.belief.points[chosen];
  std::vector<PointId> out;
  for (const auto& [chance, p] : perhaps_as_good(problem, s, point))
    if (out.size() < count) out.push_back(p);
  if (chosen != s.best && s.n[chosen] < 3 && out.size() < count && !contains(out, point))
    out.push_back(point);
  return out;
}

}  // namespace benchbench
