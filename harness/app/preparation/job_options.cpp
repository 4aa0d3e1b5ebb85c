#include "harness/app/preparation/job_options.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

#include "harness/analysis/conclusion/job.h"
#include "harness/core/error.h"

namespace benchbench {
namespace {

struct JobOption {
  std::string_view name;
  JobUnit unit;
};
constexpr JobOption kJobs[] = {{"--job-samples", JobUnit::samples},
                               {"--job-epochs", JobUnit::epochs},
                               {"--job-hours", JobUnit::hours}};
double job_number(const Arguments& arguments, std::string_view option) {
  return positive_number(arguments, option, kMostAsked, fmt::format("e.g. {} 20", option));
}

}  // namespace

double positive_number(const Arguments& arguments, std::string_view option, double most,
                       std::string_view hint) {
  const std::string text = arguments.text(option);
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  const bool number = !text.empty() && end == text.c_str() + text.size() &&
                      text.find_first_of("xX \t") == std::string::npos;
  const bool digits = text.find_first_of("0123456789") != std::string::npos;  // not the word inf
  if (number && digits && value > most)
    throw UsageError(fmt::format("{} {}: expected a number of at most 10^15", option, text), hint);
  if (!number || !std::isfinite(value) || !(value > 0))
    throw UsageError(fmt::format("{} {}: expected a number above 0", option, text), hint);
  return value;
}

std::optional<JobAsked> job_asked(const Arguments& arguments) {
  std::optional<JobAsked> asked;
  std::string_view first;
  for (const JobOption& job : kJobs) {
    if (!arguments.flag(job.name)) continue;
    if (asked)
      throw UsageError(fmt::format("{} and {} exclude each other", first, job.name),
                       "a job has one length");
    asked = JobAsked{job.unit, job_number(arguments, job.name), {}};
    first = job.name;
  }
  if (!arguments.flag("--price")) return asked;
  const double price = job_number(arguments, "--price");
  if (!asked)
    throw UsageError("--price needs the length of a job",
                     "add --job-samples, --job-epochs or --job-hours");
  asked->price = price;
  return asked;
}

void check_job(const std::optional<JobAsked>& asked, const Plan& plan) {
  if (asked && asked->unit == JobUnit::epochs && plan.datasets.empty())
    throw UsageError("--job-epochs: this scenario reads no dataset, so an epoch has no length",
                     "use --job-samples or --job-hours");
}

void add_job(const std::optional<JobAsked>& asked, const Plan& plan, Findings& findings) {
  if (asked) findings.conclusion.job = job_of(plan, findings, *asked);
}

}  // namespace benchbench
