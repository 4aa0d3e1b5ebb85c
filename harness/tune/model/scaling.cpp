#include "harness/tune/model/scaling.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "harness/analysis/statistics/birth_death.h"

namespace benchbench {
namespace {

// Sharpness of the smooth minimum of loader and trainer: 11 % below it where they are equal.
constexpr double kSharpness = 6;
constexpr double kMisfit = 0.05;  // no law fits better
constexpr std::uint32_t kMostStates = 96;
constexpr double kSerials[] = {0, 0.01, 0.03, 0.08, 0.2, 0.5};
constexpr double kCrosstalks[] = {0, 0.0005, 0.002, 0.008, 0.03};
constexpr double kTrainers[] = {0.5, 0.8, 1.2, 1.7, 2.4, 3.4, 4.8, 6.8, 9.5, 13, 19, 27, 40, 80};
constexpr double kVariabilities[] = {0, 0.3, 0.6, 1};

// Returns the loader's rate, of one worker's.
double law_loader(double workers, const ScalingLaw& law) {
  return workers / (1 + law.serial * (workers - 1) + law.crosstalk * workers * (workers - 1));
}

double law_shape(double workers, const ScalingLaw& law) {
  if (workers <= 0) return 1 / (1 + 1 / law.trainer);
  const double loader = law_loader(workers, law);
  const double least = std::min(loader, law.trainer), most = std::max(loader, law.trainer);
  return least * std::pow(1 + std::pow(least / most, kSharpness), -1 / kSharpness);
}

// What exponential times leave of the lesser of loader and trainer, as a logarithm.
double law_depth_loss(double workers, double depth, const ScalingLaw& law) {
  if (workers <= 0) return 0;
  const double loader = law_loader(workers, law);
  const double states = std::min<double>(kMostStates, workers * depth);
  const auto w = static_cast<std::uint32_t>(std::min(states, workers));
  const double chain =
      chain_with_credits(w, static_cast<std::uint32_t>(states), w / loader, 1 / law.trainer)
          .throughput;
  return std::log(chain / std::min(loader, law.trainer));
}

struct LawPoint {
  double workers = 0, depth = 0, log = 0, weight = 0;
};

// Points that a law cannot tell apart as one.
std::vector<LawPoint> gathered_for_law(const Space& space, const Levels& levels, bool by_depth) {
  std::map<std::pair<double, double>, LawPoint> by;
  for (const Level& l : levels.points) {
    const double workers = space.workers(l.point), depth = by_depth ? space.depth(l.point) : 1;
    LawPoint& p = by.try_emplace({workers, depth}, LawPoint{workers, depth}).first->second;
    const double weight = 1 / (l.error * l.error + kMisfit * kMisfit);
    p.log += weight * l.log_rate;
    p.weight += weight;
  }
  std::vector<LawPoint> out;
  for (const auto& [key, p] : by) out.push_back({p.workers, p.depth, p.log / p.weight, p.weight});
  return out;
}

// Sum of squares about the best offset, which it leaves in `law`.
template <class LogOf>
double squares_about(const std::vector<LawPoint>& points, ScalingLaw& law, LogOf log_of) {
  double sum = 0, weight = 0, squares = 0;
  for (const LawPoint& p : points) {
    const double off = p.log - log_of(p);
    sum += p.weight * off;
    squares += p.weight * off * off;
    weight += p.weight;
  }
  law.log_one = weight > 0 ? sum / weight : 0;
  return squares - law.log_one * sum;
}

// With few points many laws fit: the plainest is taken, one that scales and is not yet limited.
double penalty_of(const ScalingLaw& law) {
  const double serial = std::log((law.serial + 0.02) / 0.05), trainer = std::log(law.trainer / 12);
  return 0.3 * serial * serial + 150 * law.crosstalk + 0.15 * trainer * trainer;
}

ScalingLaw law_of_workers(const std::vector<LawPoint>& by_workers) {
  ScalingLaw best;
  double least = INFINITY;
  for (const double serial : kSerials)
    for (const double crosstalk : kCrosstalks)
      for (const double trainer : kTrainers) {
        ScalingLaw law{serial, crosstalk, trainer, 0, 0};
        const double squares =
            penalty_of(law) + squares_about(by_workers, law, [&](const LawPoint& p) {
              return std::log(law_shape(p.workers, law));
            });
        if (squares < least) least = squares, best = law;
      }
  return best;
}

}  // namespace

double ScalingLaw::log_rate(double workers, double depth) const {
  const double loss = variability > 0 ? variability * law_depth_loss(workers, depth, *this) : 0;
  return log_one + std::log(law_shape(workers, *this)) + loss;
}

ScalingLaw fitted_law(const Space& space, const Levels& levels) {
  const ScalingLaw best = law_of_workers(gathered_for_law(space, levels, false));
  const std::vector<LawPoint> by_depth = gathered_for_law(space, levels, true);
  ScalingLaw chosen = best;
  double least = INFINITY;
  for (const double variability : kVariabilities) {
    ScalingLaw law = best;
    law.variability = variability;
    law.log_one = 0;
    const double squares = 0.5 * variability + squares_about(by_depth, law, [&](const LawPoint& p) {
                             return law.log_rate(p.workers, p.depth);
                           });
    if (squares < least) least = squares, chosen = law;
  }
  return chosen;
}

}  // namespace benchbench
