// The words of `run` on standard error, besides its progress and its report.
#pragma once
#include <string>

#include "harness/app/preparation/prepared_plan.h"
#include "harness/app/session/session.h"

namespace benchbench {

// Says what is measured and how long that takes, and where the results go; `quiet`: the latter.
void print_start(const PreparedPlan& prepared, const std::string& folder, bool resumed, bool quiet);
// Says why the trials ended; `quiet`: where that is before they all ran. `resume`: the command that
// continues the run.
void tell_end(SupervisorEnd end, const Plan& plan, const Session& session,
              const std::string& resume, bool quiet);

}  // namespace benchbench
