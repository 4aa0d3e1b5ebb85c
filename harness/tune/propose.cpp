#include "harness/tune/propose.h"

#include <algorithm>
#include <cmath>

#include "harness/core/contains.h"
#include "harness/tune/challengers.h"
#include "harness/tune/recheck.h"
#include "harness/tune/standing.h"

namespace benchbench {
namespace {

constexpr std::size_t kChallengers = 4;  // of a round, about one trial of the incumbent
constexpr std::uint32_t kSpreadRounds = 2;
constexpr double kClose = 0.05;  // of the logarithm
// A share of the search's money: from then on half of each round decides which is cheapest.
constexpr double kSettleFrom = 0.65;

std::uint32_t next_round(Observations records) {
  std::uint32_t next = 0;
  for (const Observation& o : records) next = std::max(next, o.round + 1);
  return next;
}

enum class RanOn : std::uint8_t { none, before, after };

// Of the incumbent, in the last round that has trials of both.
RanOn last_side(Observations records, PointId point, PointId incumbent) {
  RanOn side = RanOn::none;
  for (std::size_t i = 0; i < records.size(); ++i)
    for (std::size_t j = i + 1; j < records.size() && records[j].round == records[i].round; ++j) {
      if (records[i].point == point && records[j].point == incumbent) side = RanOn::before;
      if (records[i].point == incumbent && records[j].point == point) side = RanOn::after;
    }
  return side;
}

// Each challenger on the side of the incumbent that it was not on the last time; new ones where
// there are fewer.
std::vector<PointId> about_the_incumbent(const std::vector<PointId>& challengers, PointId incumbent,
                                         Observations records) {
  std::vector<PointId> before, after, fresh;
  for (const PointId p : challengers) {
    const RanOn side = last_side(records, p, incumbent);
    (side == RanOn::none ? fresh : side == RanOn::before ? after : before).push_back(p);
  }
  for (const PointId p : fresh) (before.size() <= after.size() ? before : after).push_back(p);
  before.push_back(incumbent);
  before.insert(before.end(), after.begin(), after.end());
  return before;
}

void append_new(std::vector<PointId>& to, const std::vector<PointId>& from, PointId incumbent,
                std::size_t most) {
  for (const PointId p : from)
    if (to.size() < most && p != incumbent && !contains(to, p)) to.push_back(p);
}

struct Purse {
  double search = 0;  // runs that the search may spend in all
  double left = 0;    // of them
  double trial = 0;   // what one costs at most
};

// The most rounds that a recheck may take: more where the present point is believed to be within a
// few hundredths of the best, and another one is chosen.
std::uint32_t recheck_rounds(const TuneProblem& problem, const std::optional<SearchState>& state) {
  if (!state) return kRecheckRounds;
  const Standing& s = state->standing;
  const PointId point = problem.present_point(), chosen = chosen_point(problem, s);
  const Level* const present = s.levels.find(point);
  const bool close = present && present->log_rate > s.value(s.best) - kClose && chosen != point;
  return close ? kMostRecheckRounds : pairs_needed(problem, chosen);
}

// What went into rechecks of points that are no longer chosen.
double lost_runs(const TuneProblem& problem, const std::optional<SearchState>& state,
                 Observations recheck) {
  if (!state) return spent_runs(recheck);
  return spent_runs(recheck) -
         spent_runs(recheck_of(chosen_point(problem, state->standing), recheck));
}

Purse purse_of(const TuneProblem& problem, const std::optional<SearchState>& state,
               Observations search, Observations recheck) {
  Purse p;
  p.trial = trial_cost(problem, search);
  p.search = problem.budget_runs - lost_runs(problem, state, recheck) -
             static_cast<double>(recheck_trials(problem, recheck_rounds(problem, state))) * p.trial;
  p.left = p.search - spent_runs(search);
  return p;
}

Stop search_over(const TuneProblem& problem, const SearchState& state, bool undecided,
                 const Purse& purse) {
  if (purse.left < 2 * purse.trial) return Stop::budget;
  if (state.chance > 1 - problem.certainty || undecided) return Stop::no;
  const Stop limit = limit_of(problem, state);
  return limit == Stop::no ? Stop::nothing_left : limit;
}

std::vector<PointId> pick_challengers(const TuneProblem& problem, const SearchState& state,
                                      std::uint32_t round, const Purse& purse) {
  const PointId incumbent = state.standing.best_point();
  const auto affordable = static_cast<std::size_t>(purse.left / purse.trial) - 1;
  const std::size_t most = std::min(kChallengers, affordable);
  std::vector<PointId> picked;
  const bool searching = state.chance > 1 - problem.certainty;
  const bool settling = !searching || purse.left < (1 - kSettleFrom) * purse.search;
  if (round < kSpreadRounds && searching)
    append_new(picked, spread_points(problem, state.standing.feasible, round, most), incumbent,
               most);
  if (settling)
    append_new(picked, undecided_points(problem, state, searching ? most / 2 : most), incumbent,
               most);
  if (searching) append_new(picked, promising_points(state, most), incumbent, most);
  return picked;
}

Proposal search_round(const TuneProblem& problem, const SearchState& state, Observations records,
                      std::uint32_t round, const Purse& purse) {
  const Standing& s = state.standing;
  const auto picked = pick_challengers(problem, state, round, purse);
  return {.round = round,
          .trials = about_the_incumbent(picked, s.best_point(), records),
          .incumbent = s.best_point(),
          .hopeless_below = kHopeless * std::exp(s.belief.mean[s.best]),
          .chance_left = state.chance};
}

// Before any point has a rate. Its pairs may use what is kept for the recheck: without them there
// is nothing to check.
Proposal first_round(const TuneProblem& problem, Observations records, const Purse& purse,
                     double left) {
  const Feasible feasible = feasible_points(problem, records);
  const PointId present = problem.present_point();
  const std::uint32_t round = next_round(records);
  const auto whole = static_cast<std::size_t>(left / purse.trial);
  const auto searched = static_cast<std::size_t>(std::max(2.0, purse.left / purse.trial));
  const std::size_t most = std::min(kChallengers, std::min(whole, searched) - 1);
  std::vector<PointId> picked;
  append_new(picked, spread_points(problem, feasible, round, kChallengers), present, most);
  append_new(picked, feasible.points, present, most);
  if (feasible.is(present)) picked = about_the_incumbent(picked, present, records);
  return {.round = round, .trials = std::move(picked), .incumbent = present};
}

Proposal stopped(Stop why, double chance) { return {.stop = why, .chance_left = chance}; }

bool is_worth_checking(const TuneProblem& problem, const SearchState& state, PointId chosen) {
  return !present_is_at_limit(problem, state) ||
         (!needs_gain(problem, chosen) &&
          is_cheaper(problem.space, chosen, problem.present_point()));
}

Proposal recheck_or_stop(const TuneProblem& problem, const SearchState& state, Observations records,
                         Stop why) {
  const std::vector<Observation> recheck = records_for(records, Purpose::recheck);
  const PointId chosen = chosen_point(problem, state.standing);
  std::vector<PointId> trials;
  if (is_worth_checking(problem, state, chosen)) trials = recheck_round(problem, chosen, recheck);
  const double left = problem.budget_runs - spent_runs(records),
               cost = static_cast<double>(trials.size()) * trial_cost(problem, records);
  if (trials.empty() || left < cost) return stopped(why, state.chance);
  return {.purpose = Purpose::recheck,
          .round = next_round(records),
          .trials = std::move(trials),
          .incumbent = chosen,
          .chance_left = state.chance};
}

}  // namespace

Proposal propose(const TuneProblem& problem, Observations records) {
  if (problem.space.points().size() < 2) return stopped(Stop::one_point, 0);
  const std::vector<Observation> search = records_for(records, Purpose::search);
  const std::optional<SearchState> state = search_state(problem, records);
  const std::vector<Observation> recheck = records_for(records, Purpose::recheck);
  const Purse purse = purse_of(problem, state, search, recheck);
  if (records.empty() && problem.budget_runs < 2 * purse.trial) return stopped(Stop::no_budget, 1);
  if (!state) {
    const double left = problem.budget_runs - spent_runs(search);
    const bool over = next_round(records) >= 2 * kSpreadRounds || left < 2 * purse.trial ||
                      feasible_points(problem, search).points.empty();
    return over ? stopped(Stop::all_failed, 1) : first_round(problem, records, purse, left);
  }
  const bool undecided = !undecided_points(problem, *state, 1).empty();
  const Stop over = search_over(problem, *state, undecided, purse);
  if (over == Stop::no) return search_round(problem, *state, search, next_round(records), purse);
  return recheck_or_stop(problem, *state, records, over);
}

}  // namespace benchbench
