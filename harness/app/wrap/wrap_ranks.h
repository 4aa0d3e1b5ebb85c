// Processes that were measured together, and which of them the report is of. Pure.
#pragma once
#include <optional>
#include <vector>

#include "harness/app/wrap/wrap_record.h"

namespace benchbench {

// One process that connected.
struct WrapProcess {
  WrapHello hello;
  std::optional<WrapPlanned> planned;     // it is measured
  std::optional<RoundSchedule> schedule;  // then
  std::optional<WrapLoader> left_alone;   // it trains, too, but on its own: what with
  std::vector<SeenStretch> stretches;
  std::optional<WrapEnd> end;
  TimePoint planned_at{};
  // The last ones that came before its end.
  std::optional<ExternalLedger> ledger;
  std::vector<WrapLoader> loaders;
};

// Samples a second of one kind, of each round that has it.
std::vector<double> rates_of(const std::vector<SeenStretch>& stretches, WrapKind kind);
// The one whose loader is the slowest over all rounds: in F and T all ranks go at one pace, and it
// is the slowest loader that they wait for. Without any L, the one that waits longest for its
// loader in F. `ranks`: at least one; of equal ones the lowest rank.
const WrapProcess* slowest_of(const std::vector<const WrapProcess*>& ranks);
// What each measured, by rank. Empty where there is one.
std::vector<RankRates> rank_rates(std::vector<const WrapProcess*> ranks, const WrapProcess* shown);

}  // namespace benchbench
