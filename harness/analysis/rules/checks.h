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

std::optional<Firing> conservation(const TrialRecord& record);
std::optional<Firing> content(const TrialRecord& record);
std::optional<Firing> errors(const TrialRecord& record);
std::optional<Firing> cache(const TrialRecord& record);
std::optional<Firing> size(const TrialRecord& record);
std::optional<Firing> steady(const TrialRecord& record);
std::optional<Firing> duration(const TrialRecord& record);
std::optional<Firing> quota(const TrialRecord& record);
std::optional<Firing> neighbours(const TrialRecord& record);
std::optional<Firing> clocks(const TrialRecord& record);
std::optional<Firing> device(const TrialRecord& record);
std::optional<Firing> physics(const TrialRecord& record);
std::optional<Firing> telemetry(const TrialRecord& record);
std::optional<Firing> log_path(const TrialRecord& record);
std::optional<Firing> environment(const TrialRecord& record);
std::optional<Firing> interference(const TrialRecord& record);
std::optional<Firing> clock_slew(const TrialRecord& record);
std::optional<Firing> impossible(const TrialRecord& record);
std::optional<Firing> host_identity(const TrialRecord& record);
std::optional<Firing> worker_identity(const TrialRecord& record);
std::optional<Firing> littles_law(const TrialRecord& record);
std::optional<Firing> bytes(const TrialRecord& record);

// Returns the mean clock, in Hz, of a GPU that had work for nine tenths of the window; else
// nullopt.
std::optional<double> busy_gpu_clock(const Facts& facts);

}  // namespace benchbench::rules
