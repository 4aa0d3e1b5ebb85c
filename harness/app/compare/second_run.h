// --confirm: what is SLOWER runs again by itself.
#pragma once
#include "harness/app/compare/compared_runs.h"

namespace benchbench {

// Runs the points of the alerts again, both sides in turn where both can still be run by this
// program (or the one of --b-program), else B alone against the stored A, and settles the alerts.
// An error keeps them, and so does a budget that ends before all rounds. Does nothing where there
// are no alerts.
void confirm_alerts(const Arguments& arguments, const CompareOptions& options,
                    const ComparedRuns& runs, const RunTime& time, CompareReport& report);

}  // namespace benchbench
