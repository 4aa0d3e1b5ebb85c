// --job-samples, --job-epochs or --job-hours, and --price: how many hours a job takes.
#pragma once
#include <optional>
#include <vector>

#include "harness/analysis/findings.h"
#include "harness/app/command.h"

namespace benchbench {

inline constexpr double kMostAsked = 1e15;  // samples, epochs, hours, samples/s or a price
// Returns the value of an option. UsageError, with the hint: it is not above 0, or above `most`.
double positive_number(const Arguments& arguments, std::string_view option,
                       double most = kMostAsked, std::string_view hint = {});
// Returns what job_options() ask for, nullopt if none was given. UsageError: two of them, a number
// that is not above 0, a price without a job.
std::optional<JobAsked> job_asked(const Arguments& arguments);
// UsageError where epochs were asked for and the scenario reads no data set: before anything is
// run.
void check_job(const std::optional<JobAsked>& asked, const Plan& plan);
// Into findings.conclusion.
void add_job(const std::optional<JobAsked>& asked, const Plan& plan, Findings& findings);

}  // namespace benchbench
