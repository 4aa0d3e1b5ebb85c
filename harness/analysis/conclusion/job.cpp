#include "harness/analysis/conclusion/job.h"

#include "harness/analysis/conclusion/conclusion.h"

namespace benchbench {
namespace {

constexpr double kSecondsAnHour = 3600;

// Samples a second of the base, gaps between epochs included.
std::optional<double> rate_of_base(const Findings& f) {
  if (f.points.empty()) return std::nullopt;
  if (const auto epoch = epoch_seconds(f, 0)) return static_cast<double>(*f.epoch_samples) / *epoch;
  const Measured rate = usable_rate(f.points.front(), Mode::pipeline);
  return rate ? std::optional(rate->value) : std::nullopt;
}

std::optional<double> samples_of(const Findings& f, const JobAsked& asked,
                                 const std::optional<double>& rate) {
  if (asked.unit == JobUnit::samples) return asked.amount;
  if (asked.unit == JobUnit::hours)
    return rate ? std::optional(asked.amount * kSecondsAnHour * *rate) : std::nullopt;
  return f.epoch_samples ? std::optional(asked.amount * static_cast<double>(*f.epoch_samples))
                         : std::nullopt;
}

}  // namespace

TrainingJob job_of(const Plan& plan, const Findings& f, const JobAsked& asked) {
  TrainingJob job;
  static_cast<JobAsked&>(job) = asked;
  const auto now = rate_of_base(f);
  job.samples = samples_of(f, asked, now);
  if (!now || !job.samples) return job;
  job.hours = asked.unit == JobUnit::hours ? asked.amount : *job.samples / *now / kSecondsAnHour;
  if (const auto shorter = time_after(plan, f)) job.hours_after = *job.hours * *shorter;
  return job;
}

}  // namespace benchbench
