// The shares of a trial that its neighbours may have cost (R09), by who they are. Pure.
#pragma once
#include "harness/record/trial_record.h"

namespace benchbench::rules {

// Shares of the trial's rate.
struct NeighbourCosts {
  double programs = 0;  // other programs on its cores
  double guests = 0;    // other guests of the host, which are taken to cost all CPUs alike
  bool on_gpu = false;  // a process was on its GPU: what it cost has no bound
};

NeighbourCosts neighbour_costs(const TrialRecord& record);

}  // namespace benchbench::rules
