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

// --set, --sweep, --variant, --rounds, --budget, --clock, --cache.
std::span<const Option> scenario_options() noexcept;
// A command's options: the scenario's and its own.
std::vector<Option> with_scenario_options(std::span<const Option> own);

Scenario scenario_from(const Arguments& arguments);
PreparedPlan prepare_plan(const Arguments& arguments);

// Module -> reason, for the modules that some part of `settings` or of an axis lives in and that do not load.
std::map<std::string, std::string> missing_modules_of(const Scenario& scenario);

}  // namespace benchbench
