#include "harness/selftest/known_answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/analysis/judged_trials.h"
#include "harness/analysis/point_summary.h"
#include "harness/analysis/statistics.h"
#include "harness/selftest/mock_scenario.h"

namespace benchbench::selftest {
namespace {

struct Known {
  double step_ms, tolerance;
};
constexpr Known kKnown[] = {{10, 0.005}, {1, 0.01}};

// One worker, loader and trainer of the same time: each alone takes it, and so do both together. `seed`
// changes nothing but keeps a second such trial apart from the first.
Scenario equal_times(double step_ms, std::uint64_t seed, int observer, const Catalog& catalog) {
  const std::string time = fmt::format("{:.0f}ns", step_ms * 1e6);
  return mock_scenario(fmt::format("{:g} ms", step_ms),
                       {{"loader.use", "synthetic"},
                        {"trainer.use", "timed"},
                        {"loader.num_workers", "1"},
                        {"loader.samples", "4096"},
                        {"loader.height", "8"},
                        {"loader.width", "8"},
                        {"loader.batch_time", time},
                        {"trainer.step_time", time},
                        {"loader.seed", fmt::format("{}", seed)},
                        {"measure.observer", fmt::format("{}", observer)}},
                       catalog);
}

ByRound log_steps(const Experiment& e, Mode mode) {
  const auto trial = trial_of(e.plan.points.front(), mode);
  ByRound steps;
  if (!trial) return steps;
  for (const auto& [round, log] : JudgedTrials(e.plan, e.records).log_rates(*trial)) steps[round] = -log;
  return steps;
}

std::string told(Mode mode, double step_ms) {
  const std::string_view what = mode == Mode::loader    ? "loader_rate of synthetic"
                                : mode == Mode::trainer ? "trainer_rate of timed"
                                                        : "pipeline_rate of both";
  return fmt::format("{}, {:g} ms a batch", what, step_ms);
}

double largest_difference(const ByRound& a, const ByRound& b) {
  double most = 0;
  for (const auto& [round, value] : a)
    if (const auto other = b.find(round); other != b.end())
      most = std::max(most, std::expm1(std::abs(value - other->second)));
  return most;
}

}  // namespace

KnownAnswerRun::KnownAnswerRun(BenchOptions options) : bench_(std::move(options)) {
  const Catalog& catalog = bench_.catalog();
  std::uint64_t seed = 1;
  for (const Known& k : kKnown) {
    const auto add = [&] {
      Scenario scenario = equal_times(k.step_ms, seed, 1, catalog);
      const std::string name = fmt::format("{:g} ms, {}", k.step_ms, seed++);
      return bench_.add(name, std::move(scenario), false);
    };
    const std::size_t first = add(), second = add();
    twins_.push_back({k.step_ms, k.tolerance, first, second});
  }
  for (const int observer : {0, 1}) {
    Scenario scenario = equal_times(1, seed++, observer, catalog);
    scenario.base.set("measure.modes", {ParameterType::text, std::string("pipeline")});
    (observer ? observed_ : unobserved_) =
        bench_.add(fmt::format("observer {}", observer), std::move(scenario), false);
  }
}

std::vector<KnownAnswer> KnownAnswerRun::answers() const {
  std::vector<KnownAnswer> answers;
  for (const Twins& twins : twins_)
    for (const Mode mode : {Mode::loader, Mode::trainer, Mode::pipeline}) {
      const ByRound first = log_steps(bench_.experiment(twins.first), mode),
                    second = log_steps(bench_.experiment(twins.second), mode);
      std::vector<double> all;
      for (const ByRound* steps : {&first, &second})
        for (const auto& [round, value] : *steps) all.push_back(value);
      KnownAnswer& a = answers.emplace_back();
      a.name = told(mode, twins.step_ms);
      a.truth_ms = twins.step_ms;
      a.tolerance = twins.tolerance;
      a.measured_ms = all.empty() ? 0 : 1e3 * std::exp(mean_of(all));
      a.error = a.measured_ms / a.truth_ms - 1;
      a.repeats = largest_difference(first, second);
    }
  return answers;
}

std::optional<ObserverCost> KnownAnswerRun::observer_cost() const {
  const ByRound off = log_steps(bench_.experiment(unobserved_), Mode::pipeline),
                on = log_steps(bench_.experiment(observed_), Mode::pipeline);
  std::vector<double> costs;
  for (const auto& [round, value] : on)
    if (const auto other = off.find(round); other != off.end())
      costs.push_back(std::expm1(value - other->second));
  if (costs.empty()) return std::nullopt;
  ObserverCost cost;
  cost.share = *estimate_mean(costs);
  return cost;
}

}  // namespace benchbench::selftest
