// The gain of workers against loading in the trainer's own thread, and how many would feed a step.
#pragma once
#include "harness/analysis/rules/judged_trials.h"
#include "harness/analysis/summary/point_summary.h"

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

// The ends of an interval.
struct WorkersRange {
  double least = 0, most = 0;
  bool says_nothing() const noexcept { return most > 4 * least; }
};
// Returns the workers that would feed a trainer of that rate, if each makes as much as the point's
// own: one more than these at least.
WorkersRange workers_to_feed(const Point& point, const Estimate& loader_rate, double trainer_rate);

}  // namespace benchbench
