#include "harness/analysis/compare/clean_pairs.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "harness/analysis/rules/by_others.h"

namespace benchbench {
namespace {

// R09 fires from as much on, so that one side may be just below it and the other just above.
constexpr double kAlike = 0.03;

bool is_of_neighbours(const Reason& reason) { return reason.rule == "R09"; }

bool is_doubted_by_neighbours_alone(const JudgedRecord& r) {
  return r.usable() && std::ranges::all_of(r.reasons, is_of_neighbours);
}

bool is_doubted_by_neighbours(const JudgedRecord& r) {
  return std::ranges::any_of(r.reasons, is_of_neighbours);
}

// Returns the share of its rate; nullopt where a process on its GPU has no share.
std::optional<double> cost_of_neighbours(const TrialRecord& record) {
  const Facts& f = record.facts;
  if (f.device && f.device->gpu.foreign.value_or(0) > 0) return std::nullopt;
  const auto others = rules::by_others(record);
  return (others ? others->lost_share : 0) + f.cpu.steal_share.value_or(0);
}

RunOfTrial run_in(const JudgedRecord& r) {
  return {r.record->planned.round, r.record->planned.repeat};
}

}  // namespace

bool is_clean_pair(const JudgedRecord& a, const JudgedRecord& b) {
  if (a.status == Status::valid && b.status == Status::valid) return true;
  if (!is_doubted_by_neighbours_alone(a) || !is_doubted_by_neighbours_alone(b)) return false;
  const auto cost_a = cost_of_neighbours(*a.record), cost_b = cost_of_neighbours(*b.record);
  return cost_a && cost_b && std::abs(*cost_a - *cost_b) <= kAlike;
}

bool is_disturbed_pair(const JudgedRecord& a, const JudgedRecord& b) {
  return a.usable() && b.usable() && (is_doubted_by_neighbours(a) || is_doubted_by_neighbours(b)) &&
         !is_clean_pair(a, b);
}

std::set<RunOfTrial> clean_runs(std::span<const JudgedRecord> a, std::span<const JudgedRecord> b) {
  std::set<RunOfTrial> clean;
  for (const JudgedRecord& of_a : a) {
    const auto of_b = std::ranges::find(b, run_in(of_a), run_in);
    if (of_b != b.end() && is_clean_pair(of_a, *of_b)) clean.insert(run_in(of_a));
  }
  return clean;
}

}  // namespace benchbench
