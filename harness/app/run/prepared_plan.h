// From the command line to a Plan: the front half that run, plan, validate and datagen share.
#pragma once
#include <map>
#include <span>
#include <string>

#include "harness/app/command.h"
#include "harness/plan/planner.h"
#include "harness/record/environment.h"

namespace benchbench {

struct PreparedPlan {
  Plan plan;
  Environment environment;
  std::string cache_folder;
  bool simulated = false;
  std::map<std::string, PriceEntry> prices;
};

// --set, --sweep, --variant, --rounds, --budget, --substitute, --interference, --clock, --cache.
std::span<const Option> scenario_options() noexcept;
// A command's options: the scenario's and its own.
std::vector<Option> with_scenario_options(std::span<const Option> own);

// The scenario alone, with the files that it names looked at.
Scenario scenario_from(const Arguments& arguments);
PreparedPlan prepare_plan(const Arguments& arguments);

// "3", or "7 to 30" where measure.stop_at decides; what they take in all.
std::string rounds_text(const Plan& plan);
std::string time_text(const Plan& plan);

// Module -> reason, for the modules that some part of `settings` or of an axis lives in and that do not load.
std::map<std::string, std::string> missing_modules_of(const Scenario& scenario);

}  // namespace benchbench
