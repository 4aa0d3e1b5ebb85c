// A run's records -> what a history keeps of it.
#pragma once
#include <map>
#include <span>
#include <string>

#include "harness/record/kept_run.h"
#include "harness/record/trial_record.h"

namespace benchbench {

// All of `KeptRun` but folder and journal_*, and the series of its values. The three modes of each
// point; ablations are no series. A run without a record keeps nothing: started_at is empty. A
// series' digest is of the scenario's name, the point's resolved settings without those that name
// bytes of code (a changed script is what one wants to see) or how long and how often to measure,
// the metric and the label `canary`.
struct KeptOfRun {
  KeptRun run;
  std::map<std::string, KeptSeries> series;
};
// Of one mode of a point.
std::string series_digest(const Plan& plan, const Point& point, Mode mode);
KeptOfRun kept_of(const Plan& plan, std::span<const TrialRecord> records);

}  // namespace benchbench
