#include "harness/selftest/known_answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/analysis/rates/by_round.h"
#include "harness/analysis/rules/judged_trials.h"
#include "harness/analysis/statistics/statistics.h"
#include "harness/analysis/summary/point_summary.h"
#include "harness/record/setting_keys.h"
#include "harness/selftest/mock_scenario.h"

namespace benchbench::selftest {
namespace {

using Known = KnownAnswerRun::Known;
constexpr Known kKnown[] = {{10, 0.005}, {1, 0.01}};

// Loader and trainer of the same time: with a worker each alone takes it, and so do both together.
// `seed` changes nothing but keeps a second such trial apart from the first.
Scenario equal_times(double step_ms, int workers, std::uint64_t seed, const Catalog& catalog) {
  const std::string time = fmt::format("{:.0f}ns", step_ms * 1e6);
  return mock_scenario(fmt::format("{:g} ms", step_ms),
                       {{keys::loader.use, "synthetic"},
                        {keys::trainer.use, "timed"},
                        {keys::loader.num_workers, fmt::format("{}", workers)},
                        {"loader.samples", "65536"},
                        {"loader.height", "8"},
                        {"loader.width", "8"},
                        {"loader.batch_time", time},
                        {"trainer.step_time", time},
                        {keys::loader.seed, fmt::format("{}", seed)}},
                       catalog);
}

Scenario no_time(std::int64_t observer, const Catalog& catalog) {
  Scenario scenario = equal_times(0, 0, 1, catalog);
  scenario.base.set(keys::measure.observer, observer);
  scenario.base.set(keys::measure.modes, "pipeline");
  return scenario;
}

ByRound log_steps(const Experiment& e, Mode mode) {
  const auto trial = trial_of(e.plan.points.front(), mode);
  ByRound steps;
  if (!trial) return steps;
  for (const auto& [round, log] : JudgedTrials(e.plan, e.records).log_rates(*trial))
    steps[round] = -log;
  return steps;
}

std::string told(Mode mode, double step_ms) {
  const std::string_view what = mode == Mode::loader    ? "loader_rate of synthetic"
                                : mode == Mode::trainer ? "trainer_rate of timed"
                                                        : "pipeline_rate of both";
  return fmt::format("{}, {:g} ms per batch", what, step_ms);
}

Measured largest_difference(const ByRound& a, const ByRound& b) {
  Measured max;
  for (const double difference : differences_within(a, b)) {
    const double share = std::expm1(std::abs(difference));
    if (!max) max = Estimate{0, share, 0, 0};
    max->value = max->high = std::max(max->value, share);
    max->low = std::min(max->low, share);
    ++max->n;
  }
  return max;
}

KnownAnswer answer_to(const Known& known, Mode mode, const ByRound& first, const ByRound& second) {
  std::vector<double> all;
  for (const ByRound* steps : {&first, &second})
    for (const auto& [round, value] : *steps) all.push_back(value);
  KnownAnswer a;
  a.name = told(mode, known.step_ms);
  a.truth_ms = known.step_ms;
  a.tolerance = known.tolerance;
  a.measured_ms = all.empty() ? 0 : 1e3 * std::exp(mean_of(all));
  a.error = a.measured_ms / a.truth_ms - 1;
  a.repeats = largest_difference(first, second);
  return a;
}
}  // namespace

KnownAnswerRun::KnownAnswerRun(BenchOptions options)
    : bench_(options), observer_bench_(std::move(options)) {
  const Catalog& catalog = bench_.catalog();
  std::uint64_t seed = 1;
  const auto add = [&](double step_ms) {
    Scenario scenario = equal_times(step_ms, 1, seed, catalog);
    return bench_.add(fmt::format("{:g} ms, {}", step_ms, seed++), std::move(scenario), false);
  };
  for (const Known& k : kKnown) twins_.push_back({k, add(k.step_ms), add(k.step_ms)});
  unobserved_ = observer_bench_.add("observer 0", no_time(0, catalog), false);
  observed_ = observer_bench_.add("observer 1", no_time(1, catalog), false);
}

std::vector<KnownAnswer> KnownAnswerRun::answers() const {
  std::vector<KnownAnswer> answers;
  for (const Twins& twins : twins_)
    for (const Mode mode : {Mode::loader, Mode::trainer, Mode::pipeline})
      answers.push_back(answer_to(twins.known, mode,
                                  log_steps(bench_.experiment(twins.first), mode),
                                  log_steps(bench_.experiment(twins.second), mode)));
  return answers;
}

// Straight from the records: rule R16 makes INVALID what is observed all the time, and rightly.
std::optional<ObserverCost> KnownAnswerRun::observer_cost() const {
  const auto steps = [&](std::size_t experiment) {
    ByRound ms;
    for (const TrialRecord& r : observer_bench_.experiment(experiment).records)
      if (r.facts.window.steps > 0)
        ms[r.planned.round] = 1e-6 * static_cast<double>(r.facts.window.ns) /
                              static_cast<double>(r.facts.window.steps);
    return ms;
  };
  // In ms, which are shares of a step of 1 ms.
  const Measured share = estimate_mean(differences_within(steps(unobserved_), steps(observed_)));
  if (!share) return std::nullopt;
  ObserverCost cost;
  cost.share = *share;
  return cost;
}

}  // namespace benchbench::selftest
