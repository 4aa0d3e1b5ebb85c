// The rate, the step and the waits of one record. Nothing else divides samples by time.
#pragma once
#include <optional>

#include "harness/record/trial_record.h"

namespace benchbench {

inline double window_ns(const Facts& facts) noexcept {
  return static_cast<double>(facts.window.ns);
}
inline double window_seconds(const Facts& facts) noexcept { return window_ns(facts) * 1e-9; }
inline double window_steps(const Facts& facts) noexcept {
  return static_cast<double>(facts.window.steps);
}
inline double window_samples(const Facts& facts) noexcept {
  return static_cast<double>(facts.window.samples);
}
// Returns samples/s; 0 of no time.
double samples_per_second(double samples, double ns) noexcept;
// Returns the rate of the window in samples/s; 0 of a window without samples or time.
double rate_of(const Facts& facts) noexcept;
inline double rate_of(const TrialRecord& record) noexcept { return rate_of(record.facts); }
// Its logarithm; nullopt of a window without samples or time.
std::optional<double> log_rate(const Facts& facts);

// Returns the mean step of the window in ms; nullopt of no steps.
std::optional<double> step_ms(const Facts& facts);
// Returns the part of the mean step, in ms, that has this share of the window.
std::optional<double> part_of_step_ms(const Facts& facts, std::optional<double> share);

// The share of the window that the trainer waited for batches: at most all of it, by whatever its
// terms are rounded. nullopt where that was not metered.
std::optional<double> waited_share(const Facts& facts);
// The share of the window that the trainer's thread waited for a core while its batch was there:
// likewise. nullopt also where it is not known when a batch was there.
std::optional<double> core_wait_share(const Facts& facts);
// Returns what of it the thread had no core for: no more than the kernel says that it was ready to
// run and had none. All of it where the kernel says nothing. The rest is being woken, which a
// loader that has its batches in time saves.
std::optional<double> without_core_share(const Facts& facts);
// The share of the window that the trainer waited for batches or, its batch being there, for a
// core. nullopt where its waits for batches were not metered.
std::optional<double> stalled_share(const Facts& facts);
// The share of the workers' time that they waited for a credit; nullopt where they have no meter.
std::optional<double> slot_waited_share(const Facts& facts);

}  // namespace benchbench
