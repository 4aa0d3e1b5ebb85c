// Prices what has never run on this machine, so that a plan's time is not a guess: `plan` by a few
// probe steps, `run` by the first trials of the run itself.
#pragma once
#include <vector>

#include "harness/app/preparation/prepared_plan.h"
#include "harness/record/trial_record.h"

namespace benchbench {

// The same trial, but only long enough to see a step's cost; its time limit stays where it is under
// a minute.
Trial probe_of(Trial trial);

// Runs a short trial (a few steps) of each distinct loader and trainer without a price whose data
// is there, and keeps their prices. Says on standard error what it probes, and why a trial fails.
// Parts that fail stay guessed. True where a price is new, so that a plan made again would be
// another.
bool probe_prices(PreparedPlan& prepared);

// Runs trials of the plan's first round as they are: of real parts whose data is there, one of each
// mode, loader, trainer and format of which none has a price. Keeps their prices, and says on
// standard error what runs and why a trial fails. Runs none whose estimate does not fit; ends after
// `seconds`, or where a stop is asked for, with what was learned by then; the trial that was
// running then is not among those returned. 0 runs nothing. InterruptedError where a stop leaves
// none. They run in children whatever measure.isolation is: one for each, or one for all.
std::vector<TrialRecord> run_first_trials(PreparedPlan& prepared, double seconds);

// Those of `first` whose trial is in `plan` as it was run, in their place in its first round: they
// need not run again.
std::vector<TrialRecord> find_in_plan(std::vector<TrialRecord> first, const Plan& plan);

}  // namespace benchbench
