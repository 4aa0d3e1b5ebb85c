// Each point's rate on one scale, from rounds that the machine's drift made faster or slower as a
// whole.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "harness/analysis/statistics/estimate.h"
#include "harness/tune/problem.h"

namespace benchbench {

struct Level {
  PointId point = 0;
  double log_rate = 0;  // mean over its trials, their rounds' effects taken out
  double error = 0;     // standard error of log_rate
  std::uint32_t n = 0;  // trials with a rate
};

struct Levels {
  std::vector<Level> points;  // those with a rate, by id
  double noise = 0;           // of one trial, of the logarithm
  double drift = 0;           // between rounds, of the logarithm
  const Level* find(PointId point) const noexcept;
};

// Returns the rate of one point over that of another. Without an interval, since a level's error is
// the model's, of all points together; n: trials of the one that has fewer. nullopt of one point,
// and where either has no level.
Measured ratio_in_levels(const Levels& levels, PointId a, PointId b);

// Rounds are random effects, which points that were measured in several rounds tell apart from the
// points' own rates. `noise` is what one trial is expected to be off by; it counts as
// `kNoiseFreedom` residuals.
Levels levels_of(Observations records, double noise);
inline constexpr double kNoiseFreedom = 12;

}  // namespace benchbench
