// Resolves trainer.intra_op_threads: auto.
#pragma once
#include <cstdint>

#include "harness/record/scenario.h"

namespace benchbench {

// Returns the largest loader.num_workers of the base and of all axes.
std::int64_t largest_workers(const Scenario& scenario);

// Returns the number at a point: that of the whole sweep, or as many of the point's own cores
// (run.cpus) as the sweep's largest num_workers leaves free, at least 1.
std::int64_t auto_threads_at(const Scenario& scenario, const SettingsMap& point);

}  // namespace benchbench
