#include "harness/analysis/summary/hindering_neighbour.h"

#include <algorithm>
#include <array>

#include "harness/analysis/rules/neighbour_costs.h"
#include "harness/analysis/statistics/thresholds.h"

namespace benchbench {
namespace {

bool is_doubted_by_neighbours(const JudgedRecord& r) {
  return std::ranges::any_of(r.reasons, [](const Reason& reason) { return reason.rule == "R09"; });
}

// Returns shares of the trial's rate, by Neighbour.
std::array<double, 3> costs_in(const JudgedRecord& r) {
  if (!is_doubted_by_neighbours(r)) return {};
  const rules::NeighbourCosts costs = rules::neighbour_costs(*r.record);
  return {costs.programs, costs.guests, costs.on_gpu ? 1.0 : 0.0};
}

}  // namespace

std::optional<Neighbour> hindering_neighbour(const Verdict& v, JudgedRecords pipeline) {
  if (v.side != Side::contention || !v.side_cost_ms || !v.step_ms) return std::nullopt;
  std::array<double, 3> sums{};
  double trials = 0;
  for (const JudgedRecord& r : pipeline) {
    if (!r.usable()) continue;
    ++trials;
    const auto costs = costs_in(r);
    for (std::size_t kind = 0; kind < sums.size(); ++kind) sums[kind] += costs[kind];
  }
  const auto most = std::ranges::max_element(sums);
  const double contention = v.side_cost_ms->value / v.step_ms->value;
  if (!(*most > 0) || *most < kMostOfIt * contention * trials) return std::nullopt;
  return static_cast<Neighbour>(most - sums.begin());
}

}  // namespace benchbench
