// Prices what has never run on this machine with a few probe steps, so that a plan's time is not a guess.
#pragma once
#include "harness/app/run/prepared_plan.h"

namespace benchbench {

// Runs a short trial (a few steps) of each distinct loader and trainer without a price whose data is there, keeps the
// prices, and plans again. Tells on standard error what it probes. Parts that fail to run stay guessed.
void probe_prices(PreparedPlan& prepared, const Arguments& arguments);

}  // namespace benchbench
