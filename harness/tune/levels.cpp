#include "harness/tune/levels.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace benchbench {
namespace {

constexpr int kIterations = 25;       // the estimates move by less than 1 % after 15
constexpr double kDriftGuess = 0.01;  // between rounds, before anything was measured
constexpr double kDriftFreedom = 4;
// The variance of a trial that was stopped after a third of its window.
constexpr double kShortWindow = 3;

struct TrialLog {
  std::size_t point = 0, round = 0;
  double log = 0, weight = 1;
};

struct Fit {
  std::vector<TrialLog> trials;
  std::vector<double> point, point_weight, round;
  std::vector<std::uint32_t> n;
  double variance = 0, drift = kDriftGuess * kDriftGuess;
};

template <class Key>
std::size_t position(std::map<Key, std::size_t>& of, Key key) {
  return of.try_emplace(key, of.size()).first->second;
}

void average_points(Fit& fit) {
  std::ranges::fill(fit.point, 0);
  for (const TrialLog& t : fit.trials)
    fit.point[t.point] += t.weight * (t.log - fit.round[t.round]);
  for (std::size_t p = 0; p < fit.point.size(); ++p) fit.point[p] /= fit.point_weight[p];
}

// A point measured once says nothing about its round: only repeated ones do.
void fit_rounds(Fit& fit) {
  std::vector<double> sum(fit.round.size(), 0), weight(fit.round.size(), fit.variance / fit.drift);
  for (const TrialLog& t : fit.trials) {
    if (fit.n[t.point] < 2) continue;
    sum[t.round] += t.weight * (t.log - fit.point[t.point]);
    weight[t.round] += t.weight;
  }
  double squares = kDriftFreedom * kDriftGuess * kDriftGuess;
  for (std::size_t r = 0; r < sum.size(); ++r) {
    fit.round[r] = sum[r] / weight[r];
    squares += fit.round[r] * fit.round[r] + fit.variance / weight[r];
  }
  fit.drift = squares / (kDriftFreedom + static_cast<double>(sum.size()));
}

void fit_noise(Fit& fit, double noise) {
  double squares = kNoiseFreedom * noise * noise, freedom = kNoiseFreedom;
  for (const TrialLog& t : fit.trials) {
    if (fit.n[t.point] < 2) continue;
    const double off = t.log - fit.point[t.point] - fit.round[t.round];
    squares += t.weight * off * off;
    freedom += 1 - 1.0 / fit.n[t.point];
  }
  fit.variance = squares / freedom;
}

// Returns the places of the points that have a rate, by id.
std::map<PointId, std::size_t> places_of(Observations records) {
  std::map<PointId, std::size_t> places;
  for (const Observation& o : with_rate(records)) places.try_emplace(o.point, 0);
  std::size_t next = 0;
  for (auto& [id, at] : places) at = next++;
  return places;
}

Fit gathered(Observations records, const std::map<PointId, std::size_t>& points) {
  std::map<std::uint32_t, std::size_t> rounds;
  Fit fit;
  for (auto* of_points : {&fit.point, &fit.point_weight}) of_points->resize(points.size());
  fit.n.resize(points.size());
  for (const Observation& o : with_rate(records)) {
    const std::size_t at = points.at(o.point);
    const double weight = o.outcome == TuneOutcome::stopped_early ? 1 / kShortWindow : 1;
    fit.trials.push_back({at, position(rounds, o.round), std::log(o.rate), weight});
    fit.point_weight[at] += weight;
    ++fit.n[at];
  }
  fit.round.resize(rounds.size());
  return fit;
}

void iterate(Fit& fit, double noise) {
  fit.variance = noise * noise;
  for (int i = 0; i < kIterations; ++i) {
    average_points(fit);
    fit_rounds(fit);
    fit_noise(fit, noise);
  }
  average_points(fit);
}

}  // namespace

const Level* Levels::find(PointId point) const noexcept {
  const auto at = std::lower_bound(points.begin(), points.end(), point,
                                   [](const Level& l, PointId id) { return l.point < id; });
  return at != points.end() && at->point == point ? &*at : nullptr;
}

Measured ratio_in_levels(const Levels& levels, PointId a, PointId b) {
  const Level *const of_a = levels.find(a), *const of_b = levels.find(b);
  if (!of_a || !of_b || of_a == of_b) return std::nullopt;
  const double ratio = std::exp(of_a->log_rate - of_b->log_rate);
  return Estimate{ratio, ratio, ratio, std::min(of_a->n, of_b->n)};
}

Levels levels_of(Observations records, double noise) {
  const auto points = places_of(records);
  Fit fit = gathered(records, points);
  iterate(fit, noise);
  Levels out{{}, std::sqrt(fit.variance), std::sqrt(fit.drift)};
  for (const auto& [id, at] : points) {
    // The part of its rounds' effects that is left.
    const double rounds = fit.drift * fit.variance / (fit.drift + fit.variance) / fit.n[at];
    out.points.push_back(
        {id, fit.point[at], std::sqrt(fit.variance / fit.point_weight[at] + rounds), fit.n[at]});
  }
  return out;
}

}  // namespace benchbench
