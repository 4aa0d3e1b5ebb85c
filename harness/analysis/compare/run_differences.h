// In what two runs differ beside their numbers: what may be the cause of a change, software first.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "harness/core/words.h"
#include "harness/record/trial_record.h"

namespace benchbench {

struct RunDifference {
  DifferenceKind kind = DifferenceKind::software;
  std::string what;  // "build", "loader.num_workers"
  std::string a, b;  // as text; empty: not set there
};

// Where the trials ran, from the first record that has a machine; nullopt of no such record.
const Environment* environment_of(const std::vector<TrialRecord>& records) noexcept;
// The hardware of the records, by Environment::machine and the GPUs that steps ran on: more than
// one where a store holds several.
std::vector<std::string> machines_of(const std::vector<TrialRecord>& records);

// Of the environments and of the base's settings; calibrated times and measured ceilings are
// results, and left out.
std::vector<RunDifference> run_differences(const Plan& plan_a, const std::vector<TrialRecord>& a,
                                           const Plan& plan_b, const std::vector<TrialRecord>& b);

}  // namespace benchbench
