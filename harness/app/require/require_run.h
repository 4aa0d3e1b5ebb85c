// The trials of a `require`: the step fed at rates, then the scenario's loader.
#pragma once
#include "harness/app/session/session.h"
#include "harness/report/require/require_report.h"

namespace benchbench {

struct RequireAsked {
  double budget_seconds = 600;  // of wall time
  bool quiet = false;
};

// Runs until the search ends, the budget does or the user interrupts it. Adds its trials to the
// plan, and stores that with the records in the folder.
RequireReport run_require(PreparedPlan& prepared, Session& session, const RequireAsked& asked);

}  // namespace benchbench
