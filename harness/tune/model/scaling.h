// The loader's rate over workers and depth as a law with few parameters: what is expected where
// nothing was measured.
#pragma once
#include <vector>

#include "harness/tune/levels.h"
#include "harness/tune/space.h"

namespace benchbench {

// Gunther's universal scalability law, limited by the trainer: L(w) = w / (1 + serial (w-1) +
// crosstalk w (w-1)), of one worker's rate. `variability` 0 has constant times, 1 exponential ones
// (the birth-death chain): what a depth can hide.
struct ScalingLaw {
  double serial = 0.03, crosstalk = 0;
  double trainer = 16;  // T over one worker's rate
  double variability = 0;
  double log_one = 0;  // log of one worker's rate
  double log_rate(double workers, double depth) const;
};

// The best of a grid of laws, by weighted squares; points off the law count as 5 % at least.
ScalingLaw fitted_law(const Space& space, const Levels& levels);

}  // namespace benchbench
