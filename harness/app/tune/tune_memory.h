// What a trial needed of memory, and what a job with its settings would need at its end.
#pragma once
#include <optional>

#include "harness/record/trial_record.h"

namespace benchbench {

// The peak over the trial: of a loader or step in processes of its own the sum of their PSS, else
// resident memory of the one process. nullopt where it was not read. `job_seconds`: with what the
// workers' memory grows by until a job's end.
std::optional<double> memory_needed(const Facts& facts, std::optional<double> job_seconds);

// Of the workers, by the growth of a window, which is no more than that each of them copies every
// page that it shares. 0 where it was not seen to grow, or where how much they share is not known.
double growth_until(const Facts& facts, double job_seconds);

}  // namespace benchbench
