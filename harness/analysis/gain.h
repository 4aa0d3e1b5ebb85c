// What workers gained against loading in the trainer's own thread.
#pragma once
#include "harness/analysis/findings.h"
#include "harness/analysis/judged_trials.h"

namespace benchbench {

// Fills `gain` (a factor of pipeline rates, within rounds) of every point whose settings some other
// point shares but for num_workers: 0 (and its intra-op threads: the better of the references
// counts). Points with num_workers: 0 get none.
void add_gains(const Plan& plan, const JudgedTrials& trials, std::vector<PointFindings>& findings);

// What a point shares with those that differ from it in nothing but num_workers and what follows
// from it, as text.
std::string settings_but_workers(const Point& point);
// loader.num_workers; 0 where a point has none.
std::int64_t workers_of(const Point& point);

}  // namespace benchbench
