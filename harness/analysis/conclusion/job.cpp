#include "harness/analysis/conclusion/job.h"

#include "harness/analysis/conclusion/conclusion.h"

namespace benchbench {
namespace {

constexpr double kSecondsAnHour = 3600;

std::optional<double> samples_of(const Findings& f, const JobAsked& asked, const Measured& rate) {
  if (asked.unit == JobUnit::samples) return asked.amount;
  if (asked.unit == JobUnit::hours) return rate ? std::optional(asked.amount * kSecondsAnHour * rate->value) : std::nullopt;
  return f.epoch_samples ? std::optional(asked.amount * static_cast<double>(*f.epoch_samples)) : std::nullopt;
}

}  // namespace

TrainingJob job_of(const Plan& plan, const Findings& f, const JobAsked& asked) {
  TrainingJob job;
  static_cast<JobAsked&>(job) = asked;
  const Measured now = f.points.empty() ? std::nullopt : usable_rate(f.points.front(), Mode::pipeline);
  job.samples = samples_of(f, asked, now);
  if (!now || !job.samples) return job;
  job.hours = asked.unit == JobUnit::hours ? asked.amount : *job.samples / now->value / kSecondsAnHour;
  if (const auto faster = pipeline_gain(plan, f)) job.hours_after = *job.hours / *faster;
  return job;
}

}  // namespace benchbench
