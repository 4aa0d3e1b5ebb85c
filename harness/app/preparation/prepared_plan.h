// From the command line to a Plan: the front half that run, plan, validate and data share.
#pragma once
#include <cstdio>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>

#include "harness/app/command.h"
#include "harness/app/preparation/code_look.h"
#include "harness/app/preparation/trial_place.h"
#include "harness/plan/planner.h"

namespace benchbench {

struct PreparedPlan : TrialPlace {
  Plan plan;
  std::map<std::string, PriceEntry> prices;
  std::vector<double> trial_seconds;  // one run of each trial, estimated; by its index
  // A start of the user's Python, as known when it was first prepared.
  std::optional<double> start_seconds = {};
  std::shared_ptr<CodeLooker> looker;  // at the user's code; null: it is not looked at

  // Returns true if the user's code is to be looked at again once its data are made.
  bool waits_for_data() const noexcept { return looker && looker->waits_for_data(); }
};

// The scenario alone, with the files that it names looked at.
Scenario scenario_from(const Arguments& arguments);
// Prints "  decided: ..." for each decision of the scenario, and "  dropped: KEY (why)" for each
// setting that it leaves out.
void print_decisions(std::FILE* out, const Scenario& scenario);
// As if the user's code brought no settings: for data alone, which do not depend on it.
PreparedPlan prepare_plan(const Arguments& arguments);
// With a look at the user's code, where the scenario has some; under the simulated clock, where it
// cannot run, without.
PreparedPlan prepare_plan_with_code(const Arguments& arguments);
// The same again, with what is known by now. `spent_seconds` of measure.budget are gone already.
PreparedPlan prepare_again(const Arguments& arguments, const PreparedPlan& before,
                           double spent_seconds = 0);

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
