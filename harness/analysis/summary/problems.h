// The trials that were skipped, noisy, invalid, failed or never run, and the reasons.
#pragma once
#include <vector>

#include "harness/analysis/rules/judged_trials.h"

namespace benchbench {

// One cause by which trials are not VALID: all trials with one status and rule.
struct Problem {
  struct Mention {
    std::uint32_t trial = 0, round = 0;
    std::string text;  // the reason as recorded
  };
  Status status = Status::valid;
  std::string rule;               // "R06"; empty: a cause that is no rule
  std::vector<Mention> mentions;  // by trial, round, repeat
  std::string details;  // of the first that has some: lines as they are, such as a traceback
};

// The trials that the plan knew to be impossible here, which have no record: those of whole points,
// and single ones of others.
struct PlannedSkip {
  std::string why;
  std::vector<std::uint32_t> points, trials;
};

// By status and rule, what is no rule by the first line of its text: FAILED first, then INVALID,
// NOISY, ABORTED, SKIPPED.
std::vector<Problem> problems_of(const JudgedTrials& trials);

std::vector<PlannedSkip> planned_skips(const Plan& plan, const JudgedTrials& trials);

}  // namespace benchbench
