// --job-samples, --job-epochs or --job-hours, and --price: how many hours a job takes.
#pragma once
#include <optional>
#include <vector>

#include "harness/analysis/findings.h"
#include "harness/app/command.h"

namespace benchbench {

// Returns what job_options() ask for, nullopt if none was given. UsageError: two of them, a number
// that is not above 0, a price without a job.
std::optional<JobAsked> job_asked(const Arguments& arguments);
// UsageError where epochs were asked for and the scenario reads no data set: before anything is
// run.
void check_job(const std::optional<JobAsked>& asked, const Plan& plan);
// Into findings.conclusion.
void add_job(const std::optional<JobAsked>& asked, const Plan& plan, Findings& findings);

}  // namespace benchbench
