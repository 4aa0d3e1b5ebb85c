#include "harness/tune/result.h"

#include <algorithm>
#include <cmath>

#include "harness/analysis/statistics/difference.h"
#include "harness/tune/recheck.h"
#include "harness/tune/standing.h"

namespace benchbench {
namespace {

bool has_rate(Observations records, PointId point) {
  return std::ranges::any_of(with_rate(records),
                             [&](const Observation& o) { return o.point == point; });
}

// By the samples of a step, what is loaded, or how batches are copied to a device.
bool changes_step(const Space& space, PointId a, PointId b) {
  for (const std::size_t k : space.knob_indexes()) {
    const Knob& knob = space.knobs()[k];
    const bool of_step = changes_the_work(knob.kind) || knob.name == "pin_memory";
    if (of_step && space.index(a, k) != space.index(b, k)) return true;
  }
  return false;
}

// The trials of a recheck's own rounds, so that both are of the machine as it was then. A trainer
// that was slower alone than with the loader was held back when it was measured, and bounds
// nothing.
std::optional<Room> room_above(const TuneProblem& problem, PointId present, Observations recheck) {
  double logs = 0, waited = 0, n = 0;
  for (const Observation& o : with_rate(recheck)) {
    if (o.point != present) continue;
    if (!o.waited) return std::nullopt;
    logs += std::log(o.rate), waited += *o.waited, ++n;
  }
  if (!problem.trainer_rate || n == 0) return std::nullopt;
  const Room room{waited / n, *problem.trainer_rate / std::exp(logs / n)};
  return room.waited > kMostOfIt || room.trainer < 1 - problem.floor ? std::nullopt
                                                                     : std::optional(room);
}

bool is_beyond(const TuneProblem& problem, const Estimate& gain, const Room& room) {
  return gain.value >
         room.most() * (1 + std::max(problem.worth, problem.floor / std::sqrt(gain.n)));
}

// The change of the rate, with its interval, that these pairs show.
Difference change_by(const Estimate& pairs, double least) {
  return decide({pairs.value - 1, pairs.low - 1, pairs.high - 1, pairs.n}, least);
}

bool is_shown(const TuneProblem& problem, const Estimate& e) {
  const double least = is_exact(e) ? problem.worth : problem.floor / std::sqrt(e.n);
  return change_by(e, least) == Difference::faster;
}

double freedom_of(Observations records, const Levels& levels) {
  const auto repeats =
      static_cast<double>(records.size()) - static_cast<double>(levels.points.size());
  return kNoiseFreedom + std::max(0.0, repeats);
}

Gain gain_over(const TuneProblem& problem, PointId found, PointId reference, Observations recheck,
               const Levels& levels) {
  Gain gain{reference, ratio_in_pairs(found, reference, recheck)};
  if (!gain.ratio && reference == problem.present_point() && !has_rate(recheck, reference)) {
    gain.ratio = ratio_in_levels(levels, found, reference);
    gain.of_search = gain.ratio.has_value();
  }
  if (!gain.ratio || gain.of_search || gain.ratio->n < pairs_needed(problem, found)) return gain;
  if (reference == problem.present_point() && !changes_step(problem.space, found, reference))
    gain.room = room_above(problem, reference, recheck);
  gain.refused = gain.room && is_beyond(problem, *gain.ratio, *gain.room);
  gain.shown = !gain.refused && is_shown(problem, *gain.ratio);
  gain.slower = change_by(*gain.ratio, problem.worth) == Difference::slower;
  return gain;
}

// The gain over the present settings, where it is known by enough pairs.
const Gain* known_gain(const TuneProblem& problem, const TuneResult& r) {
  if (r.gains.empty()) return nullptr;
  const Gain& g = r.gains.front();
  const bool known = g.reference == problem.present_point() && g.ratio && !g.of_search &&
                     g.ratio->n >= pairs_needed(problem, r.found);
  return known ? &g : nullptr;
}

std::size_t index_in(const Standing& s, PointId point) {
  const auto& points = s.belief.points;
  return static_cast<std::size_t>(std::ranges::find(points, point) - points.begin());
}

// The pairs say how far the present settings are from `found`, better than the search does: what
// beats them by `worth` has to beat `found` by the rest.
double chance_faster(const TuneProblem& problem, const TuneResult& r, const Standing& s) {
  if (r.present_at_limit) return 0;
  if (!r.present_works) return 1;
  const double worth = std::log1p(problem.worth);
  const auto present = index_in(s, problem.present_point()), found = index_in(s, r.found);
  if (found == present) return chance_of_faster(s, present, worth);
  const Gain* const gain = known_gain(problem, r);
  if (!gain) return 1;
  return std::min(1.0,
                  chance_in_pairs(*gain->ratio, 1 + problem.worth) +
                      chance_of_faster(s, found, worth - std::log(gain->ratio->value), present));
}

void count(TuneResult& r, const TuneProblem& problem, Observations records, const Standing& s) {
  r.trials = records.size();
  for (const Observation& o : records) {
    r.failed += !o.has_rate();
    r.stopped_early += o.outcome == TuneOutcome::stopped_early;
  }
  r.points_measured = s.levels.points.size();
  r.points_barred = problem.space.points().size() - s.feasible.points.size();
}

void decide(TuneResult& r, const TuneProblem& problem, const Standing& s) {
  r.chance_faster = chance_faster(problem, r, s);
  r.advice = advice_of(problem, r);
  const bool keeps = r.advice == TuneAdvice::keep_yours || r.advice == TuneAdvice::not_finished;
  r.chosen = keeps ? problem.present_point() : r.found;
}

void add_rate(TuneResult& r, const TuneProblem& problem, Observations records, const Standing& s) {
  const Level* const level = s.levels.find(r.found);  // chosen points are measured
  const double freedom = freedom_of(records, s.levels);
  r.rate = exp_of_logs(Shift{level->log_rate, level->error, freedom, level->n}.interval());
  if (problem.limits.target_rate)
    r.target_met = r.rate->value * (1 + problem.worth) >= *problem.limits.target_rate;
}

}  // namespace

double Room::most() const noexcept { return std::max(trainer, 1 / (1 - waited)); }

TuneAdvice advice_of(const TuneProblem& problem, const TuneResult& r) {
  const PointId present = problem.present_point();
  if (!r.present_works) return TuneAdvice::change;
  const TuneAdvice keep =
      r.chance_faster < kKeepChance ? TuneAdvice::keep_yours : TuneAdvice::not_finished;
  const bool cheaper = is_cheaper(problem.space, r.found, present);
  if (r.found == present || (r.present_at_limit && !cheaper)) return keep;
  const Gain* const gain = known_gain(problem, r);
  if (!gain) return keep;
  if (gain->refused) return TuneAdvice::not_finished;
  if (gain->shown) return TuneAdvice::change;
  const bool as_fast = !needs_gain(problem, r.found) && gain->ratio->value >= 1 - problem.worth &&
                       gain->ratio->low >= 1 - 2 * problem.worth;
  return cheaper && as_fast && keep == TuneAdvice::keep_yours ? TuneAdvice::same_for_less : keep;
}

TuneResult result_of(const TuneProblem& problem, Observations records) {
  TuneResult r;
  r.stop = propose(problem, records).stop;
  r.cost_runs = spent_runs(records);
  const std::optional<SearchState> state = search_state(problem, records);
  if (!state) return r;
  const Standing& s = state->standing;
  r.found = chosen_point(problem, s);
  r.fastest = s.best_point();
  r.chance_left = state->chance;
  r.limit = limit_of(problem, *state);
  r.present_at_limit = present_is_at_limit(problem, *state);
  r.present_works = s.feasible.is(problem.present_point());
  add_rate(r, problem, records, s);
  count(r, problem, records, s);
  const std::vector<Observation> recheck = records_for(records, Purpose::recheck);
  for (const PointId p : references_of(problem, r.found))
    r.gains.push_back(gain_over(problem, r.found, p, recheck, s.levels));
  decide(r, problem, s);
  return r;
}

}  // namespace benchbench
