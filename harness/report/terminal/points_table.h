// The table of points on a terminal, with its legend.
#pragma once
#include <string>
#include <vector>

#include "harness/analysis/findings.h"
#include "harness/report/text/formats.h"

namespace benchbench {

// Of `most` points those that matter: the base, the best, the slowest, those that FAILED or are
// INVALID, NOISY ones, then the fastest of the others. Indices into findings.points, in their
// order.
std::vector<std::size_t> points_that_matter(const Findings& findings, std::size_t most);

// Lines, without their breaks. Without style.detail, columns and rows are those that decide, so
// many rows that the table and its legend have at most `room` lines (but kLeastRows); how many
// points are left out is said.
inline constexpr std::size_t kLeastRows = 6;
std::vector<std::string> points_table(const Findings& findings, const Plan& plan,
                                      const TerminalStyle& style, std::size_t room);

}  // namespace benchbench
