// A tune's proposals and stored records, replayed as far as the records go.
#pragma once
#include <vector>

#include "harness/app/tune/tune_records.h"

namespace benchbench {

struct ReplayedTune {
  std::vector<Observation> observations;
  Proposal next;                 // with a reason to stop, or what is to run
  std::vector<PlannedRun> todo;  // of it, what has no record
};
// Every stored round counts. One that is not what would be proposed now, since a limit or the budget is another one than when
// it ran, counts as far as it came.
ReplayedTune replay(const TuneStudy& study, const TuneProblem& problem, const std::vector<TrialRecord>& records);

// That the supervisor ended it, as hopeless: its record has no facts but a rate.
bool was_cut_short(const TrialRecord& record) noexcept;
inline constexpr std::string_view kCutShort = "ended early: ";

}  // namespace benchbench
