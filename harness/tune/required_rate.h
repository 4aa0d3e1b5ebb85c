// Which rate of supply is looked at next, and which one a step needs, from the looks so far. Pure.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace benchbench {

// A step fed at a rate, against the cached-batch step of the same round.
struct SupplyLook {
  std::size_t rung = 0;  // of RequireProblem::rates
  double slower = 0;     // the logarithm of the one step's time over the other's
};

struct RequireProblem {
  std::vector<double> rates;  // samples/s, ascending
  double tolerance = 0.01;    // a step that is slower by no more is fed well enough
  double noise = 0.02;        // standard deviation that is expected of a look; 0: looks are exact
  std::uint32_t most_looks = 12;  // at one rung; then their mean decides
};

// Halves what is left between a rate that is too little and one that is enough, with as many looks
// at a rung as it takes to tell: a step that is fed more is not slower.
struct RequiredRate {
  std::optional<std::size_t> next;        // what to look at; nullopt: nothing is left to look at
  std::optional<std::size_t> enough;      // the smallest rung known to be enough
  std::optional<std::size_t> too_little;  // the largest one below it known to be too little
  // The same of rungs whose interval, at 99 %, is wholly on one side: where looks are noisy these
  // lie further apart.
  std::optional<std::size_t> surely_enough, surely_too_little;
};
RequiredRate required_rate(const RequireProblem& problem, std::span<const SupplyLook> looks);

// Around the rate of a trainer that is fed from memory: close together near it, where constant
// steps have their answer, and wider up to eight times as much, which steps of very different
// lengths may need.
std::vector<double> supply_ladder(double trainer_rate);

}  // namespace benchbench
