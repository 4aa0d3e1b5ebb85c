// A run's records by trial and round, each judged by itself and with those of its point: what every
// later estimate reads.
#pragma once
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "harness/analysis/rates/by_round.h"
#include "harness/analysis/rates/window_rates.h"
#include "harness/analysis/rules/rules.h"
#include "harness/analysis/statistics/estimate.h"
#include "harness/record/trial_record.h"

namespace benchbench {

struct JudgedRecord : Judgement {
  const TrialRecord* record = nullptr;
  bool usable() const noexcept { return is_usable(status); }
};

// Those of one trial, or of all.
using JudgedRecords = std::span<const JudgedRecord>;
// The facts of usable records; none is null.
using UsableFacts = std::vector<const Facts*>;

bool has_usable(JudgedRecords records) noexcept;
// Returns the facts of the usable records.
UsableFacts usable_facts(JudgedRecords records);

// Whether it is of a trial of this plan; false of a record of another plan in the same journal.
bool belongs(const Plan& plan, const TrialRecord& record);

// The trial of a point's mode; nullopt where it was not asked for.
std::optional<std::uint32_t> trial_of(const Point& point, Mode mode) noexcept;

// True of a rate that may be used: VALID or NOISY, with samples.
bool is_usable_rate(const TrialRecord& record) noexcept;

struct OutOfOrder;  // rate_order.h
struct LowClock;    // round_clocks.h

class JudgedTrials {
 public:
  // The last record of a planned run counts: --resume runs ABORTED ones again. Records of another
  // plan are left out and counted. The records must outlive this.
  JudgedTrials(const Plan& plan, std::span<const TrialRecord> records);

  // Returns how one of the records was judged; one that is left out is judged by itself.
  Judgement judgement_of(const TrialRecord& record) const;
  // Returns the records of one trial, by round, then repeat; none for nullopt, a mode that was not
  // asked for.
  JudgedRecords of(std::optional<std::uint32_t> trial) const;
  const std::vector<JudgedRecord>& all() const noexcept { return all_; }
  std::size_t foreign() const noexcept { return foreign_; }
  // Returns how many rounds gave a usable record.
  std::uint32_t usable_rounds() const;

  // `fact` of the usable records by round; repeats within a round averaged. Records where it gives
  // nullopt are left out.
  using Fact = std::function<std::optional<double>(const Facts&)>;
  ByRound by_round(std::optional<std::uint32_t> trial, const Fact& fact) const;
  // Logs of delivered / window, by round. `usable` false takes the INVALID ones instead, which may
  // be shown only.
  ByRound log_rates(std::optional<std::uint32_t> trial, bool usable = true) const;
  // phase_share() of its usable records, the mean.
  double phase_share(std::optional<std::uint32_t> trial) const;
  // Logs of the rates of each round's usable repeats, apart: what the A/A floor is made of.
  std::vector<std::vector<double>> log_rate_repeats(std::uint32_t trial) const;

 private:
  RepeatsByRound repeats(std::optional<std::uint32_t> trial, bool usable, const Fact& fact) const;
  void doubt(const OutOfOrder& o);
  void doubt(const LowClock& low);

  std::vector<JudgedRecord> all_;                                       // by trial, round, repeat
  std::map<std::uint32_t, std::pair<std::size_t, std::size_t>> spans_;  // trial -> from, count
  std::size_t foreign_ = 0;
};

// The A/A floor: what two identical trials of the plan's anchor differ by; nullopt where it was not
// measured.
Measured aa_floor(const Plan& plan, const JudgedTrials& trials);

}  // namespace benchbench
