// Which settings a tune searches, their values, and which point of the plan each combination is.
#pragma once
#include <string>
#include <vector>

#include "harness/app/tune/tune_options.h"
#include "harness/record/trial.h"
#include "harness/tune/problem.h"

namespace benchbench {

// Of the scenario as it is: values from its sweep where it has one for the key, else a ladder. Empty where there is
// nothing to choose from. `names`: the loader's parameters. UsageError for a knob that is none.
std::vector<TuneSweep> knobs_of(const Scenario& scenario, const TuneAsked& asked, const std::vector<std::string>& names,
                                std::uint32_t cores, bool cuda);

// The plan's grid as a space. `points`: the plan's point of each canonical id.
struct TuneGrid {
  Space space;
  std::vector<std::uint32_t> points;  // by combination
  PointId present = 0;
  std::vector<PointId> references;  // the defaults, num_workers: 0 where it is among the values
};
TuneGrid grid_of(const Plan& plan);

}  // namespace benchbench
