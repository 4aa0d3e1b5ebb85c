// A tune's proposals and stored records, replayed as far as the records go.
#pragma once
#include <string_view>
#include <vector>

#include "harness/app/tune/tune_records.h"

namespace benchbench {

// A stored run of a search says by its repeat what it was for.
constexpr std::uint32_t repeat_of(Purpose purpose) noexcept {
  return purpose == Purpose::recheck ? 1 : 0;
}

// Every stored round counts as far as it came: one that is not what would be proposed now, since a
// limit or the budget is another one than when it ran, too. Only what the last one lacks of what is
// proposed now is run.
class TuneReplay {
 public:
  // All must stay until this is gone; `problem` follows from the first round.
  TuneReplay(const TuneStudy& study, TuneProblem problem, const std::vector<TrialRecord>& records);
  // What is to run, by the records of now; empty: next().stop is why.
  std::vector<PlannedRun> go_on();
  const Proposal& next() const noexcept { return next_; }
  const TuneProblem& problem() const noexcept { return problem_; }
  // Those of a round that is not at its end too.
  std::vector<Observation> observations() const;

 private:
  std::vector<PlannedRun> left_of(const std::vector<const TrialRecord*>& stored) const;

  const TuneStudy& study_;
  TuneProblem problem_;
  const std::vector<TrialRecord>& records_;
  double full_run_;
  std::vector<Observation> whole_;  // of rounds before round_
  std::uint32_t round_ = 0;
  Proposal next_;  // of round_
};

// That the supervisor ended it, as hopeless: its record has no facts but a rate.
bool was_cut_short(const TrialRecord& record) noexcept;
// Whether the reason of a FAILED trial says that memory, or the shared memory of a DataLoader's
// workers, ran out.
bool tells_of_no_memory(std::string_view reason) noexcept;
inline constexpr std::string_view kCutShort = "ended early: ";

}  // namespace benchbench
