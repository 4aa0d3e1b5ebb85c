// From the command line to a Plan: the front half that run, plan, validate and data share.
#pragma once
#include <cstdio>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "harness/app/command.h"
#include "harness/app/preparation/code_look.h"
#include "harness/app/preparation/dataset_step.h"
#include "harness/app/preparation/trial_place.h"
#include "harness/part/catalog.h"
#include "harness/plan/planner.h"

namespace benchbench {

// The scenario is loaded and drafted once. Its plan is fitted anew when more prices are known.
struct PreparedPlan : TrialPlace {
  // Holds the prices, which grow as trials run.
  PlanContext context{.catalog = built_in_catalog()};
  Draft draft;
  Plan plan;
  std::vector<double> trial_seconds;  // one run of each trial, estimated; by its index
};

// The scenario alone, with the files that it names looked at.
Scenario scenario_from(const Arguments& arguments);
// Prints "  decided: ..." for each decision of the scenario, and "  dropped: KEY (why)" for each
// setting that it leaves out.
void print_decisions(std::FILE* out, const Scenario& scenario);
// Loads the scenario with a look at the user's code, where it has some; under the simulated clock,
// where code cannot run, without. Data that the code is called with are made if `making` is given;
// else code whose data are not there is only imported.
Scenario load_with_code(const Arguments& arguments, CodeLooker& looker, const DataMaking* making);
// Plans as if the user's code brought no settings: for data alone, which do not depend on it.
PreparedPlan prepare_plan(const Arguments& arguments);
// The same with load_with_code().
PreparedPlan prepare_plan_with_code(const Arguments& arguments, const DataMaking* making = nullptr);
PreparedPlan prepare_plan_with_code(const Arguments& arguments, CodeLooker& looker,
                                    const DataMaking* making);
// Fits the plan to the prices that are known by now. `spent_seconds` of measure.budget are gone.
void fit_to_prices(PreparedPlan& prepared, double spent_seconds = 0);

// Makes the plan's data, as make_datasets() does, and learns what that took.
void make_data(PreparedPlan& prepared, const DataMaking& making = {});

// Puts another plan, that of the run to be resumed, in the place of this one's, with the seconds of
// its own trials.
void take_plan(PreparedPlan& prepared, Plan plan);

// "12 trials in 3 rounds (2 SKIPPED)", "20 to 60 trials in 5 to 15 rounds": counted as progress and
// report do.
std::string trials_text(const Plan& plan);
// "3", or "7 to 30" where measure.stop_at decides; what they take in all.
std::string rounds_text(const Plan& plan);
std::string time_text(const Plan& plan);

// --clock. UsageError where it is neither real nor simulated.
bool simulated_clock(const Arguments& arguments);

// Module -> reason, for those of them that do not load.
std::map<std::string, std::string> missing_of(const std::set<std::string>& modules);
// The same for the modules that some part of the scenario or of one of its axes lives in.
std::map<std::string, std::string> missing_modules_of(const Scenario& scenario);

}  // namespace benchbench
