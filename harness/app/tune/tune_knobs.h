// Which settings a tune searches, their values, and which point of the plan each combination is.
#pragma once
#include <string>
#include <vector>

#include "harness/app/tune/tune_options.h"
#include "harness/record/trial.h"
#include "harness/tune/problem.h"
#include "harness/tune/tune_findings.h"

namespace benchbench {

struct TuneKnobs {
  std::vector<TuneSweep> sweep;        // empty where there is nothing to choose from
  std::vector<UntriedKnob> not_tried;  // of those that the loader has
};
// UsageError for one that is none, with the nearest that is.
void check_knob_names(const std::vector<std::string>& names);
// Of the scenario as it is: values from its sweep where it has one for the key, else a ladder.
// `names`: the keys that the scenario may have. `asked.knobs` are knobs.
TuneKnobs knobs_of(const Scenario& scenario, const TuneAsked& asked,
                   const std::vector<std::string>& names, std::uint32_t cores, bool cuda);

// With the values of its ladder, workers up to `most`, and the present one; `present` is empty
// where the loader has none.
Knob standard_knob(std::string_view name, const std::string& present, double most);

// The plan's grid as a space. `points`: the plan's point of each canonical id.
struct TuneGrid {
  Space space;
  std::vector<std::uint32_t> points;  // by combination
  PointId present = 0;
  std::vector<PointId> references;  // the defaults, num_workers: 0 where it is among the values
};
TuneGrid grid_of(const Plan& plan);

// Returns the plan with names for people: without workers a point has no prefetch_factor, which the
// grid gives it all the same.
Plan drop_labels_without_effect(Plan plan);

}  // namespace benchbench
