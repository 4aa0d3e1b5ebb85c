#include "harness/analysis/compare/clean_pairs.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "harness/analysis/rules/neighbour_costs.h"
#include "harness/analysis/statistics/statistics.h"
#include "harness/analysis/statistics/thresholds.h"
#include "harness/core/contains.h"

namespace benchbench {
namespace {

// Six of six pairs, or nine of ten: chance alone does that in 1 of 20 comparisons at most.
constexpr double kBySide = 0.05;

bool is_of_neighbours(const Reason& reason) { return reason.rule == "R09"; }

bool is_doubted_by_neighbours_alone(const JudgedRecord& r) {
  return r.usable() && std::ranges::all_of(r.reasons, is_of_neighbours);
}

bool is_doubted_by_neighbours(const JudgedRecord& r) {
  return std::ranges::any_of(r.reasons, is_of_neighbours);
}

// Returns the share of its rate; nullopt where a process on its GPU has no share.
std::optional<double> cost_of_neighbours(const TrialRecord& record) {
  const rules::NeighbourCosts costs = rules::neighbour_costs(record);
  if (costs.on_gpu) return std::nullopt;
  return costs.programs + costs.guests;
}

// The round and the repeat of a run.
using RunOfTrial = std::pair<std::uint32_t, std::uint32_t>;

RunOfTrial run_in(const JudgedRecord& r) {
  return {r.record->planned.round, r.record->planned.repeat};
}

using Pairs = std::vector<std::pair<const JudgedRecord*, const JudgedRecord*>>;
Pairs pairs_in(JudgedRecords a, JudgedRecords b) {
  Pairs pairs;
  for (const JudgedRecord& of_a : a)
    if (const JudgedRecord* of_b = find_element(b, run_in(of_a), run_in))
      pairs.emplace_back(&of_a, of_b);
  return pairs;
}

}  // namespace

bool is_clean_pair(const JudgedRecord& a, const JudgedRecord& b) {
  if (a.status == Status::valid && b.status == Status::valid) return true;
  if (!is_doubted_by_neighbours_alone(a) || !is_doubted_by_neighbours_alone(b)) return false;
  const auto cost_a = cost_of_neighbours(*a.record), cost_b = cost_of_neighbours(*b.record);
  return cost_a && cost_b && std::abs(*cost_a - *cost_b) <= kMinEffect;
}

bool is_disturbed_pair(const JudgedRecord& a, const JudgedRecord& b) {
  return a.usable() && b.usable() && (is_doubted_by_neighbours(a) || is_doubted_by_neighbours(b)) &&
         !is_clean_pair(a, b);
}

RunFilter clean_runs(JudgedRecords a, JudgedRecords b, bool paired) {
  if (!paired) return [](const JudgedRecord& r) { return r.status == Status::valid; };
  std::set<RunOfTrial> clean;
  for (const auto& [of_a, of_b] : pairs_in(a, b))
    if (is_clean_pair(*of_a, *of_b)) clean.insert(run_in(*of_a));
  return [clean](const JudgedRecord& r) { return clean.contains(run_in(r)); };
}

bool comes_noise_with_a_side(JudgedRecords a, JudgedRecords b) {
  std::uint32_t noisy_a = 0, noisy_b = 0;
  for (const auto& [of_a, of_b] : pairs_in(a, b)) {
    noisy_a += of_a->status == Status::noisy && of_b->status == Status::valid;
    noisy_b += of_b->status == Status::noisy && of_a->status == Status::valid;
  }
  return sign_test_p(noisy_a, noisy_b) < kBySide;
}

}  // namespace benchbench
