// A simulated machine for a tune: true rates of every point, what fails, and what a trial measures.
#pragma once
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "harness/core/random.h"
#include "harness/tune/problem.h"

namespace benchbench::test {

struct SurfaceCase {
  std::string family;
  TuneProblem problem{Space({}), {}, 0, {}, {}};
  std::vector<double> rate;     // by combination; 0: fails
  std::vector<double> memory;   // bytes
  std::vector<double> cpu;      // seconds per sample
  double noise = 0.02;          // of one trial, of the logarithm
  double tail_chance = 0;       // that a trial is a tenth to a half slower, by something else
  double drift = 0;             // of the logarithm, over a tune of its whole budget
  bool fails_by_memory = true;  // those of rate 0

  // Works and keeps the limits.
  bool is_good(PointId p) const {
    return rate[p] > 0 &&
           (!problem.limits.memory_bytes || memory[p] <= *problem.limits.memory_bytes);
  }
  double best() const {
    double best = 0;
    for (const PointId p : problem.space.points())
      if (is_good(p)) best = std::max(best, rate[p]);
    return best;
  }
  double quality(PointId p) const { return is_good(p) ? rate[p] / best() : 0; }
  double grid_cost() const { return static_cast<double>(problem.space.points().size()); }
  std::size_t points_above(double share) const {
    const auto& points = problem.space.points();
    return static_cast<std::size_t>(std::count_if(points.begin(), points.end(),
                                                  [&](PointId p) { return quality(p) >= share; }));
  }
};

inline constexpr double kWarmUpShare = 0.4;  // of a trial's time

// One trial. Stopped a third into its window where it is hopeless by then, with the noise of so
// short a window.
inline Observation measured_trial(const SurfaceCase& c, PointId point, std::uint32_t round,
                                  Purpose purpose, std::optional<double> hopeless_below,
                                  double spent, Random& random) {
  const double whole = 1.0 / c.problem.rounds_per_run;
  Observation o{point, round, purpose, TuneOutcome::measured, 0, {}, {}, whole, {}};
  if (c.rate[point] <= 0) {
    o.outcome = c.fails_by_memory ? TuneOutcome::out_of_memory : TuneOutcome::failed;
    o.cost_runs = whole * kWarmUpShare;
    return o;
  }
  const double drift = c.drift * spent / c.problem.budget_runs;
  const double early = c.rate[point] * std::exp(drift + std::sqrt(3.0) * c.noise * random.normal());
  double rate = c.rate[point] * std::exp(drift + c.noise * random.normal());
  if (c.tail_chance > 0 && random.uniform() < c.tail_chance) rate *= 1 - random.uniform(0.1, 0.5);
  const bool stops = hopeless_below && early < *hopeless_below;
  o.rate = stops ? early : rate;
  if (stops) {
    o.outcome = TuneOutcome::stopped_early;
    o.cost_runs = whole * (kWarmUpShare + (1 - kWarmUpShare) / 3);
  }
  o.memory_bytes = c.memory[point] * std::exp(0.01 * random.normal());
  o.cpu_seconds_per_sample = c.cpu[point] * std::exp(0.01 * random.normal());
  return o;
}

}  // namespace benchbench::test
