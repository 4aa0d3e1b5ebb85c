// What a budget cut of a plan, and what it has no time for.
#pragma once
#include <string>
#include <vector>

#include "harness/record/trial.h"

namespace benchbench {

// "cut to fit the budget: 2 rounds instead of 3; sweep of loader.num_workers left out", and apart
// from it by how much the rest is estimated to be longer than the budget, which is not said once
// `all_ran`. Empty where nothing was cut and all fits.
std::vector<std::string> budget_lines(const Plan& plan, bool all_ran = false);

}  // namespace benchbench
