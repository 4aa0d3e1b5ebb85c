#include "harness/tune/recheck.h"

#include <algorithm>
#include <map>

namespace benchbench {
namespace {

constexpr double kClearlySlower = 0.9;

// By point: whether every trial of it so far was close to the chosen one's of its round.
bool stays_close(PointId reference, PointId chosen, std::span<const Observation> recheck) {
  std::map<std::uint32_t, double> own, other;
  for (const Observation& o : recheck) {
    if (o.point == reference) own[o.round] = o.has_rate() && o.outcome == Outcome::measured ? o.rate : 0;
    if (o.point == chosen && o.has_rate()) other[o.round] = o.rate;
  }
  return std::all_of(own.begin(), own.end(), [&](const auto& at) {
    const auto same = other.find(at.first);
    return at.second > 0 && same != other.end() && at.second >= kClearlySlower * same->second;
  });
}

std::size_t rounds_in(std::span<const Observation> recheck) {
  std::vector<std::uint32_t> seen;
  for (const Observation& o : recheck)
    if (std::find(seen.begin(), seen.end(), o.round) == seen.end()) seen.push_back(o.round);
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

std::size_t recheck_trials(const TuneProblem& problem) {
  return 1 + references_of(problem, problem.space.combinations()).size() + 2 * (kRecheckRounds - 1);
}

std::vector<PointId> recheck_round(const TuneProblem& problem, PointId chosen, std::span<const Observation> recheck) {
  const std::size_t rounds = rounds_in(recheck);
  if (rounds >= kRecheckRounds) return {};
  std::vector<PointId> out;
  for (const PointId p : references_of(problem, chosen))
    if (stays_close(p, chosen, recheck)) out.push_back(p);
  if (out.empty()) return {};
  out.insert(out.begin() + static_cast<std::ptrdiff_t>(out.size() / 2), chosen);
  if (rounds % 2) std::reverse(out.begin(), out.end());
  return out;
}

}  // namespace benchbench
