// Rates of rounds from a stated distribution, seeded: what the simulations of this folder are made
// of.
#pragma once
#include <cmath>
#include <cstdio>
#include <vector>

#include "harness/core/random.h"

namespace benchbench::known_answer {

// A shared machine: the speed drifts from round to round, which all trials of a round share; trials
// of one round differ by a little more; and now and then something runs beside one.
struct SharedMachine {
  double round = 0.05;        // σ of the log of a round's speed
  double within = 0.02;       // σ of the log of a trial's, within its round
  double tail_chance = 0.02;  // that a trial
  double tail = 0.20;         // is slower by this share
};

inline double noise_of(const SharedMachine& machine, Random& random) {
  return machine.within * random.normal() +
         (random.uniform() < machine.tail_chance ? std::log1p(-machine.tail) : 0.0);
}

inline double percent(std::size_t hits, std::size_t of) {
  return 100.0 * static_cast<double>(hits) / static_cast<double>(of);
}

}  // namespace benchbench::known_answer
