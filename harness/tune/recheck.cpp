#include "harness/tune/recheck.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace benchbench {
namespace {

constexpr double kClearlySlower = 0.9;

using RateByRound = std::map<std::uint32_t, double>;

RateByRound rates_of(PointId point, std::span<const Observation> recheck) {
  RateByRound out;
  for (const Observation& o : recheck)
    if (o.point == point) out[o.round] = o.has_rate() ? o.rate : 0;
  return out;
}

// Whether every trial of it so far had a rate, and one of at least `share` of the chosen one's of
// its round.
bool stays(PointId reference, double share, PointId chosen, std::span<const Observation> recheck) {
  const RateByRound own = rates_of(reference, recheck), other = rates_of(chosen, recheck);
  return std::all_of(own.begin(), own.end(), [&](const auto& at) {
    const auto same = other.find(at.first);
    return at.second > 0 && same != other.end() && at.second >= share * same->second;
  });
}

// A gain that is worth having and that this few rounds cannot show.
bool is_between(const TuneProblem& problem, PointId chosen, std::span<const Observation> recheck) {
  const RateByRound own = rates_of(chosen, recheck),
                    present = rates_of(problem.space.canonical(problem.present), recheck);
  double sum = 0, n = 0;
  for (const auto& [round, rate] : own)
    if (const auto at = present.find(round); at != present.end() && rate > 0 && at->second > 0)
      sum += std::log(rate / at->second), ++n;
  return n > 0 && sum / n > std::log1p(problem.worth / 2) &&
         sum / n < std::log1p(problem.floor / std::sqrt(n));
}

std::size_t rounds_in(std::span<const Observation> recheck) {
  std::set<std::uint32_t> seen;
  for (const Observation& o : recheck) seen.insert(o.round);
  return seen.size();
}

}  // namespace

std::vector<PointId> references_of(const TuneProblem& problem, PointId chosen) {
  std::vector<PointId> out;
  const auto add = [&](PointId p) {
    p = problem.space.canonical(p);
    if (p != chosen && std::find(out.begin(), out.end(), p) == out.end()) out.push_back(p);
  };
  add(problem.present);
  for (const PointId p : problem.references) add(p);
  return out;
}

std::size_t recheck_trials(const TuneProblem& problem, bool close) {
  const std::uint32_t rounds = close ? kMostRecheckRounds : kRecheckRounds;
  return 1 + references_of(problem, problem.space.combinations()).size() + 2 * (rounds - 1);
}

std::vector<Observation> recheck_of(PointId chosen, std::span<const Observation> recheck) {
  std::set<std::uint32_t> rounds;
  for (const Observation& o : recheck)
    if (o.point == chosen) rounds.insert(o.round);
  std::vector<Observation> out;
  for (const Observation& o : recheck)
    if (rounds.contains(o.round)) out.push_back(o);
  return out;
}

std::vector<PointId> recheck_round(const TuneProblem& problem, PointId chosen,
                                   std::span<const Observation> all) {
  const std::vector<Observation> recheck = recheck_of(chosen, all);
  const std::size_t rounds = rounds_in(recheck);
  if (rounds >= kMostRecheckRounds) return {};
  if (rounds >= kRecheckRounds && !is_between(problem, chosen, recheck)) return {};
  std::vector<PointId> out;
  const PointId present = problem.space.canonical(problem.present);
  for (const PointId p : references_of(problem, chosen))
    if ((rounds < kRecheckRounds || p == present) &&
        stays(p, p == present ? 0 : kClearlySlower, chosen, recheck))
      out.push_back(p);
  if (out.empty()) return {};
  out.insert(out.begin() + static_cast<std::ptrdiff_t>(out.size() / 2), chosen);
  if (rounds % 2) std::reverse(out.begin(), out.end());
  return out;
}

}  // namespace benchbench
