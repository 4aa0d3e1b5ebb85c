// The cores that other programs kept busy during a trial, and what that may have cost it. Pure.
#pragma once
#include <optional>

#include "harness/record/trial_record.h"

namespace benchbench::rules {

// The means are over a window.
struct ByOthers {
  double ours = 0;   // cores that the trial kept busy, on average
  double cores = 0;  // that other programs did
  double cpus = 0;   // that the trial may use
  // The share of the time in which a thread of the trial was ready to run and had no core, since
  // another one of it or another program had it: of the thread for which that is the largest. Not
  // what a quota held back.
  std::optional<double> no_core_share;
  // The share of the trial's rate that they cost: an estimate for a scheduler that is fair, and
  // more where the trainer's thread waited although cores were left.
  double lost_share = 0;
};

// Returns the mean of them over the window; 0 where it was not measured.
double cores_of_others(const Facts& facts) noexcept;

// Returns nullopt where it was not measured, and in virtual time.
std::optional<ByOthers> by_others(const TrialRecord& record);

}  // namespace benchbench::rules
