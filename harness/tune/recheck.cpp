#include "harness/tune/recheck.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "harness/analysis/rates/by_round.h"
#include "harness/analysis/rates/phase.h"
#include "harness/analysis/statistics/difference.h"
#include "harness/core/contains.h"

namespace benchbench {
namespace {

ByRound rates_of(PointId point, Observations recheck) {
  ByRound out;
  for (const Observation& o : recheck)
    if (o.point == point) out[o.round] = o.has_rate() ? o.rate : 0;
  return out;
}

// Returns true if every trial of it so far had a rate.
bool works(PointId reference, Observations recheck) {
  return std::ranges::all_of(rates_of(reference, recheck),
                             [](const auto& at) { return at.second > 0; });
}

bool do_pairs_disagree(const TuneProblem& problem, PointId chosen, Observations recheck) {
  const Measured ratio = ratio_in_pairs(chosen, problem.present_point(), recheck);
  return !ratio || ratio->n < pairs_needed(problem, chosen) ||
         std::log(ratio->high / ratio->low) > 2 * std::log1p(problem.worth);
}

std::size_t rounds_in(Observations recheck) {
  std::set<std::uint32_t> seen;
  for (const Observation& o : recheck) seen.insert(o.round);
  return seen.size();
}

// Returns the mean of its trials that have a rate.
double phase_of_point(PointId point, Observations records) {
  double sum = 0, n = 0;
  for (const Observation& o : records)
    if (o.point == point && o.has_rate()) sum += o.phase, ++n;
  return n > 0 ? sum / n : 0;
}

}  // namespace

bool needs_gain(const TuneProblem& problem, PointId chosen) {
  const Space& space = problem.space;
  return problem.pairs_for_fewer_workers > 0 &&
         space.workers(chosen) < space.workers(problem.present_point());
}

std::uint32_t pairs_needed(const TuneProblem& problem, PointId chosen) {
  return needs_gain(problem, chosen) ? std::max(kRecheckRounds, problem.pairs_for_fewer_workers)
                                     : kRecheckRounds;
}

Measured ratio_in_pairs(PointId point, PointId over, Observations records) {
  const ByRound own = rates_of(point, records), other = rates_of(over, records);
  std::vector<double> logs;
  for (const auto& [round, rate] : own)
    if (const double* beside = find_value(other, round); beside && rate > 0 && *beside > 0)
      logs.push_back(std::log(rate / *beside));
  return estimate_cut_rates(logs, phase_of_point(point, records) + phase_of_point(over, records));
}

bool is_exact(const Estimate& pairs) noexcept {
  return pairs.n > 1 && std::log(pairs.high / pairs.low) < 1e-6;
}

double chance_in_pairs(const Estimate& pairs, double ratio) {
  if (is_exact(pairs)) return pairs.value > ratio ? 1 : 0;
  if (pairs.n < 2) return 1;
  Shift shift{std::log(pairs.value), 1, pairs.n - 1.0, pairs.n};
  shift.error = 0.5 * std::log(pairs.high / pairs.low) / shift.half();
  return shift.chance_above(std::log(ratio));
}

std::vector<PointId> references_of(const TuneProblem& problem, PointId chosen) {
  std::vector<PointId> out;
  const auto add = [&](PointId p) {
    p = problem.space.canonical(p);
    if (p != chosen && !contains(out, p)) out.push_back(p);
  };
  add(problem.present);
  for (const PointId p : problem.references) add(p);
  return out;
}

std::size_t recheck_trials(const TuneProblem& problem, std::uint32_t rounds) {
  return 1 + references_of(problem, problem.space.combinations()).size() + 2 * (rounds - 1);
}

std::vector<Observation> recheck_of(PointId chosen, Observations recheck) {
  std::set<std::uint32_t> rounds;
  for (const Observation& o : recheck)
    if (o.point == chosen) rounds.insert(o.round);
  std::vector<Observation> out;
  for (const Observation& o : recheck)
    if (rounds.contains(o.round)) out.push_back(o);
  return out;
}

std::vector<PointId> recheck_round(const TuneProblem& problem, PointId chosen, Observations all) {
  const std::vector<Observation> recheck = recheck_of(chosen, all);
  const std::size_t rounds = rounds_in(recheck);
  if (rounds >= kMostRecheckRounds) return {};
  if (rounds >= pairs_needed(problem, chosen) && !do_pairs_disagree(problem, chosen, recheck))
    return {};
  std::vector<PointId> out;
  const PointId present = problem.present_point();
  for (const PointId p : references_of(problem, chosen))
    if ((rounds == 0 || p == present) && works(p, recheck)) out.push_back(p);
  if (out.empty()) return {};
  out.insert(out.begin() + static_cast<std::ptrdiff_t>(out.size() / 2), chosen);
  if (rounds % 2) std::ranges::reverse(out);
  return out;
}

}  // namespace benchbench
