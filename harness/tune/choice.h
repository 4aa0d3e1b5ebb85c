// The cheapest point within 2 % of the best, as far as the records show it.
#pragma once
#include <optional>
#include <span>

#include "harness/tune/feasible.h"
#include "harness/tune/model/surface.h"

namespace benchbench {

// Fewer workers; of as many, fewer samples held ahead; of as many, the lower sum of the values'
// ranks.
bool is_cheaper(const Space& space, PointId a, PointId b) noexcept;

// How much the wary belief counts in what may still be found.
inline constexpr double kWaryShare = 0.15;

// Beliefs of the points that are not barred, and the rate above which more is worth nothing.
struct Standing {
  Feasible feasible;
  Levels levels;
  Belief belief, wary;                // of feasible.points
  std::vector<std::uint32_t> n = {};  // trials of each
  double ceiling = 0;  // log: the least of trainer, target and cores; infinite where none is known
  // The measured point of the highest believed rate: an index of belief.points.
  std::size_t best = 0;
  double value(std::size_t i) const noexcept { return std::min(belief.mean[i], ceiling); }
  double error(std::size_t i) const noexcept;
  PointId best_point() const noexcept { return belief.points[best]; }
};

// Is i as good as the best: with the standard error of its loss added, less than `worth` below?
bool is_as_good(const Standing& standing, std::size_t i, double worth) noexcept;

// Of points measured twice or more the cheapest that is as good; else the best.
std::size_t chosen_of(const TuneProblem& problem, const Standing& standing);
inline PointId chosen_point(const TuneProblem& problem, const Standing& standing) {
  return standing.belief.points[chosen_of(problem, standing)];
}

}  // namespace benchbench
