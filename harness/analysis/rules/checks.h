// The checks behind the rules, one file each.
#pragma once
#include <utility>

#include "harness/analysis/rules/rules.h"

namespace benchbench::rules {

// How far the two sides of an identity may lie apart, as a share.
inline constexpr double kIdentityLimit = 0.005;

// Return a firing by which a trial is INVALID, and one by which it is NOISY.
inline Firing invalid(std::string text) { return {true, std::move(text)}; }
inline Firing doubt(std::string text) { return {false, std::move(text)}; }

RuleCheck conservation, content, errors, cache, size, steady, duration, quota, neighbours, clocks,
    device, physics, telemetry, log_path, environment, interference, clock_slew, impossible,
    host_identity, worker_identity, littles_law, bytes;

// Returns the mean clock, in Hz, of a GPU that had work for nine tenths of the window; else
// nullopt.
std::optional<double> busy_gpu_clock(const Facts& facts);

}  // namespace benchbench::rules
