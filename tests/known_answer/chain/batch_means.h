// Judging a long run against a known answer by batch means: consecutive stretches of steps, each
// much longer than the line remembers, are as good as independent.
#pragma once
#include <cmath>
#include <cstdint>
#include <vector>

#include "harness/analysis/statistics/birth_death.h"
#include "tests/known_answer/chain/timed_line.h"

namespace benchbench::test {

inline constexpr std::uint64_t kStretches = 100;
// Stretches at the start, where the line is still filling.
inline constexpr std::size_t kDropped = 5;

// A line with n credits forgets within about (n+2)^2/10 steps where both sides are equally fast
// (the slowest mode of a birth–death chain of n+2 states), and sooner elsewhere: a stretch is ten
// times that.
inline std::uint64_t stretch_steps(std::uint32_t credits) {
  return std::max<std::uint64_t>(40, std::uint64_t{credits + 2} * (credits + 2));
}

struct Estimate {
  double mean = 0, error = 0;  // standard error of the mean
};

inline Estimate estimate(const std::vector<double>& values) {
  double sum = 0, squares = 0;
  for (const double v : values) sum += v;
  const double mean = sum / static_cast<double>(values.size());
  for (const double v : values) squares += (v - mean) * (v - mean);
  const auto n = static_cast<double>(values.size());
  return {mean, std::sqrt(squares / (n - 1) / n)};
}

// A share or a rate of time as a ratio of sums; its standard error is that of the stretches'
// residuals.
inline Estimate ratio(const std::vector<double>& over, const std::vector<double>& under) {
  double o = 0, u = 0;
  for (std::size_t i = 0; i < over.size(); ++i) o += over[i], u += under[i];
  std::vector<double> residuals;
  for (std::size_t i = 0; i < over.size(); ++i) residuals.push_back(over[i] - o / u * under[i]);
  const double mean_under = u / static_cast<double>(under.size());
  return {o / u, estimate(residuals).error / mean_under};
}

struct ChainMeasurement {
  Estimate throughput, starved, blocked;
};

inline ChainMeasurement measure(const TimedLine& line) {
  const std::vector<Reading> readings = play(line);
  std::vector<double> steps, time, starved, blocked;
  for (std::size_t i = kDropped + 1; i < readings.size(); ++i) {
    steps.push_back(static_cast<double>(line.read_every));
    time.push_back(readings[i].time - readings[i - 1].time);
    starved.push_back(readings[i].starved - readings[i - 1].starved);
    blocked.push_back((readings[i].blocked - readings[i - 1].blocked) /
                      std::max(1u, line.options.num_workers));
  }
  return {ratio(steps, time), ratio(starved, time), ratio(blocked, time)};
}

// Exponential times, shared dispatch, any order: the line that the chain describes. `stretch`:
// steps of each stretch.
inline TimedLine exponential_line(std::uint32_t workers, std::uint32_t credits, double make,
                                  double step, std::uint64_t seed, std::uint64_t stretch) {
  return {.options = {.num_workers = workers, .max_jobs = credits, .in_order = false, .meters = {}},
          .make = exponential(make, mix_seed(seed, 1)),
          .step = exponential(step, mix_seed(seed, 2)),
          .steps = (kStretches + kDropped) * stretch,
          .read_every = stretch};
}

}  // namespace benchbench::test
