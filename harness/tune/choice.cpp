#include "harness/tune/choice.h"

#include <cmath>
#include <tuple>

namespace benchbench {
namespace {

constexpr double kGuard = 1.0;  // standard errors

auto cost_of(const Space& space, PointId point) {
  std::uint32_t ranks = 0;
  for (const std::size_t k : space.knob_indexes()) ranks += space.value(point, k).cost;
  return std::tuple(space.workers(point), space.depth(point) * space.batch_size(point), ranks);
}

}  // namespace

bool is_cheaper(const Space& space, PointId a, PointId b) noexcept {
  return cost_of(space, a) < cost_of(space, b);
}

double Standing::error(std::size_t i) const noexcept { return std::sqrt(belief.variance[i]); }

bool is_as_good(const Standing& s, std::size_t i, double worth) noexcept {
  const double loss = s.value(s.best) - s.value(i);
  const double error = std::sqrt(s.belief.variance[i] + s.belief.variance[s.best]);
  // Negative above the ceiling.
  const double shortfall = std::min(s.ceiling, s.belief.mean[s.best]) - s.belief.mean[i];
  return i == s.best || (loss <= worth && shortfall + kGuard * error <= std::log1p(worth));
}

std::size_t chosen_of(const TuneProblem& problem, const Standing& s) {
  std::size_t chosen = s.best;
  for (std::size_t i = 0; i < s.belief.points.size(); ++i)
    if (s.n[i] >= 2 && is_as_good(s, i, problem.worth) &&
        is_cheaper(problem.space, s.belief.points[i], s.belief.points[chosen]))
      chosen = i;
  return chosen;
}

}  // namespace benchbench
