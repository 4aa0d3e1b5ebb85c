#include "harness/tune/standing.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "harness/analysis/statistics/statistics.h"
#include "harness/analysis/statistics/thresholds.h"
#include "harness/tune/model/memory.h"

namespace benchbench {
namespace {

double share_above(double z) { return 0.5 * std::erfc(z / std::numbers::sqrt2); }

constexpr double kDearest = 1.5;  // of the mean: one trial that took long does not price all others

// Is a sample's work, and a step's, the same at every point?
bool is_same_work(const Space& space) noexcept {
  return std::ranges::none_of(space.knobs(), [](const Knob& knob) {
    return changes_the_work(knob.kind) && knob.values.size() > 1;
  });
}

// As asked, else the mean of what was measured.
std::optional<double> trainer_rate_of(const TuneProblem& problem, Observations records) {
  if (problem.trainer_rate || !is_same_work(problem.space)) return problem.trainer_rate;
  return mean_known(records, [](const Observation& o) { return o.trainer_rate; });
}

// The least CPU time that a sample took.
std::optional<double> least_cpu(const TuneProblem& problem, Observations records) {
  if (!is_same_work(problem.space)) return std::nullopt;
  std::optional<double> least;
  for (const Observation& o : with_rate(records))
    if (o.cpu_seconds_per_sample)
      least = std::min(least.value_or(INFINITY), *o.cpu_seconds_per_sample);
  return least;
}

std::vector<double> memory_octaves(const Space& space, Observations records) {
  const std::optional<MemoryLaw> law = fitted_memory(space, records);
  if (!law || law->factor[0] < 0) return {};
  std::vector<double> out;
  for (PointId p = 0; p < space.combinations(); ++p)
    out.push_back(std::log2(std::max(1.0, law->at(space, p))));
  return out;
}

Levels feasible_levels(const Levels& all, const Feasible& feasible) {
  Levels out{{}, all.noise, all.drift};
  for (const Level& l : all.points)
    if (feasible.is(l.point)) out.points.push_back(l);
  return out;
}

void count_trials(Standing& s) {
  for (const PointId p : s.belief.points) {
    const Level* const level = s.levels.find(p);
    s.n.push_back(level ? level->n : 0);
  }
}

std::size_t best_measured(const Standing& s) {
  std::size_t best = s.belief.points.size();
  for (std::size_t i = 0; i < s.belief.points.size(); ++i)
    if (s.n[i] > 0 && (best == s.belief.points.size() || s.belief.mean[i] > s.belief.mean[best]))
      best = i;
  return best;
}

// Returns the sum over all points but these two, at most 1.
double chance_above(const Belief& belief, std::size_t than, double wanted,
                    std::optional<std::size_t> but) {
  double sum = 0;
  for (std::size_t i = 0; i < belief.points.size(); ++i)
    if (i != than && i != but)
      sum += share_above((wanted - belief.mean[i]) /
                         std::sqrt(belief.variance[i] + belief.variance[than]));
  return std::min(1.0, sum);
}

}  // namespace

bool changes_the_work(KnobKind kind) noexcept {
  return kind == KnobKind::batch_size || kind == KnobKind::category;
}

double chance_of_faster(const Standing& s, std::size_t than, double by,
                        std::optional<std::size_t> but) {
  const double wanted = s.value(than) + by;
  if (wanted >= s.ceiling) return 0;
  return (1 - kWaryShare) * chance_above(s.belief, than, wanted, but) +
         kWaryShare * chance_above(s.wary, than, wanted, but);
}

std::vector<Observation> records_for(Observations records, Purpose purpose) {
  std::vector<Observation> out;
  for (const Observation& o : records)
    if (o.purpose == purpose) out.push_back(o);
  return out;
}

double spent_runs(Observations records) noexcept {
  double sum = 0;
  for (const Observation& o : records) sum += o.cost_runs;
  return sum;
}

double trial_cost(const TuneProblem& problem, Observations records) noexcept {
  const double whole = 1.0 / problem.rounds_per_run;
  double sum = 0, n = 0, most = 0;
  for (const Observation& o : with_rate(records))
    sum += o.cost_runs, ++n, most = std::max(most, o.cost_runs);
  return sum > 0 ? std::min(most, kDearest * sum / n) : whole;
}

std::optional<Ceiling> ceiling_of(const TuneProblem& problem, Observations records) {
  std::optional<Ceiling> least;
  const auto lower = [&](double rate, Stop stop) {
    if (!least || rate < least->rate) least = Ceiling{rate, stop};
  };
  if (const auto trainer = trainer_rate_of(problem, records)) lower(*trainer, Stop::trainer_binds);
  if (const auto cpu = least_cpu(problem, records); cpu && problem.limits.cores)
    lower(*problem.limits.cores / *cpu, Stop::cores_bind);
  if (problem.limits.target_rate) lower(*problem.limits.target_rate, Stop::target_met);
  return least;
}

std::optional<SearchState> search_state(const TuneProblem& problem, Observations records) {
  const std::vector<Observation> search = records_for(records, Purpose::search);
  Feasible feasible = feasible_points(problem, records);
  Levels levels = feasible_levels(levels_of(search, problem.floor / kFloorInNoise), feasible);
  if (levels.points.empty()) return std::nullopt;
  Surface surface(problem.space, levels, memory_octaves(problem.space, search));
  Beliefs beliefs = surface.about(feasible.points);
  const auto ceiling = ceiling_of(problem, search);
  Standing s{std::move(feasible), std::move(levels), std::move(beliefs.learned),
             std::move(beliefs.wary)};
  s.ceiling = ceiling ? std::log(ceiling->rate) : std::numeric_limits<double>::infinity();
  count_trials(s);
  s.best = best_measured(s);
  const double chance = chance_of_faster(s, s.best, std::log1p(problem.worth));
  return SearchState{std::move(surface), std::move(s), ceiling, chance};
}

Stop limit_of(const TuneProblem& problem, const SearchState& state) noexcept {
  const double reached =
      state.standing.belief.mean[state.standing.best] + std::log1p(problem.worth);
  return state.ceiling && reached >= state.standing.ceiling ? state.ceiling->stop : Stop::no;
}

bool present_is_at_limit(const TuneProblem& problem, const SearchState& state) noexcept {
  const Level* const present = state.standing.levels.find(problem.present_point());
  return present && limit_of(problem, state) != Stop::no &&
         present->log_rate + std::log1p(problem.worth) >= state.standing.ceiling;
}

}  // namespace benchbench
