// Ranks of one training that `benchbench wrap` measured together, side by side.
#pragma once
#include <string>
#include <vector>

#include "harness/analysis/findings.h"
#include "harness/report/text/text_table.h"

namespace benchbench {

// By what the slowest is known: its L, or, where no rank has one, what it waits for its loader in
// F.
enum class RankBy : std::uint8_t { loader, wait };
template <>
inline constexpr auto kWordsOf<RankBy> = std::to_array<std::string_view>({"loader", "wait"});

// The two that are furthest apart, of those that have a value; where only one has it, it is both.
struct RankSpread {
  RankBy by = RankBy::loader;
  std::uint32_t slowest = 0, quickest = 0;  // places in the plan's ranks; of equal ones the first
  Measured ratio;  // quickest over slowest, round by round; of waits there is none
};
// nullopt: of one process, or nothing of it was measured.
std::optional<RankSpread> rank_spread(const Plan& plan);
// "Ranks that train together; the rest of this report is of rank 1:"; empty for one process, as the
// table is.
std::string rank_title(const Plan& plan);
std::vector<TableColumn> rank_columns(const Plan& plan);
// "Slowest loader: rank 1, 816 samples/s; ..."
std::string rank_spread_words(const Plan& plan);
// Returns a rank's mean rate over rounds.
Measured rate_over_rounds(std::vector<double> rates);

}  // namespace benchbench
