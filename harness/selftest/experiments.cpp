#include "harness/selftest/experiments.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "harness/core/error.h"
#include "harness/core/permutation.h"
#include "harness/plan/planner.h"
#include "harness/plan/price.h"
#include "harness/record/setting_keys.h"

namespace benchbench::selftest {
namespace {

constexpr std::uint64_t kOrder = 0x6265, kPace = 0x7061;  // apart from every other use of the seed

PlanContext plan_context(const BenchOptions& options) {
  return {.catalog = options.catalog,
          .environment = options.environment,
          .cache_folder = {},
          .free_disk_bytes = ~std::uint64_t{0} >> 1,
          .prices = {},
          .missing_modules = {},
          .simulated = options.simulated};
}

ExecutorContext executor_context(const BenchOptions& options) {
  return {.catalog = options.catalog,
          .environment = options.environment,
          .dataset = {},
          .expected_digest = {},
          .simulated = options.simulated,
          .stop = options.stop,
          .progress = {}};
}

// In virtual time the machine was not looked at.
BenchOptions with_cores(BenchOptions options) {
  if (!(options.environment.cores_available > 0)) options.environment.cores_available = 2;
  return options;
}

// Every time of both sides this many times as long.
void slow_down(SettingsMap& settings, double factor) {
  const SettingsMap given = settings;
  for (const auto& [key, value] : given.all()) {
    if (value.none() || !(key.starts_with("loader.") || key.starts_with("trainer."))) continue;
    if (value.type == ParameterType::duration) {
      const auto ns = static_cast<double>(given.duration(key).count());
      settings.set(key, {value.type, static_cast<std::int64_t>(std::llround(ns * factor))});
    }
    if (value.type == ParameterType::bandwidth || value.type == ParameterType::rate)
      settings.set(key, {value.type, std::get<double>(value.held) / factor});
  }
}

}  // namespace

Bench::Bench(BenchOptions options) : options_(with_cores(std::move(options))) {}

std::size_t Bench::add(std::string name, Scenario scenario, bool substitute) {
  scenario.base.set(keys::measure.substitute, substitute);
  Experiment made{std::move(name), make_plan(scenario, plan_context(options_)), {}};
  made.plan.order.clear();
  const std::size_t index = experiments_.size();
  const PlanContext context = plan_context(options_);
  for (const Trial& trial : made.plan.trials) {
    if (trial.skip) continue;
    auto shared =
        std::ranges::find(trials_, trial.digest, [](const Shared& s) { return s.trial.digest; });
    bool guessed = false;
    if (shared == trials_.end())
      shared = trials_.insert(shared, {trial, seconds_of(trial, context, guessed), {}});
    shared->places.emplace_back(index, trial.index);
  }
  experiments_.push_back(std::move(made));
  return index;
}

double Bench::seconds() const noexcept {
  return std::accumulate(trials_.begin(), trials_.end(), 0.0,
                         [](double sum, const Shared& t) { return sum + t.seconds; });
}

std::vector<std::size_t> Bench::order_of(std::uint32_t round) const {
  Random random(mix_seed(options_.seed, kOrder, round));
  std::vector<std::vector<std::size_t>> groups(experiments_.size());
  std::vector<std::size_t> experiments(experiments_.size()), place(experiments_.size());
  draw_permutation(experiments, random);
  for (std::size_t i = 0; i < experiments.size(); ++i) place[experiments[i]] = i;
  for (std::size_t t = 0; t < trials_.size(); ++t) {
    std::size_t first = experiments_.size();  // a shared trial runs with the first that needs it
    for (const auto& [experiment, index] : trials_[t].places)
      first = std::min(first, place[experiment]);
    groups[first].push_back(t);
  }
  std::vector<std::size_t> order;
  for (auto& group : groups) {
    permute(std::span(group), random);
    order.insert(order.end(), group.begin(), group.end());
  }
  return order;
}

Trial Bench::of_round(const Trial& trial, std::uint32_t round) const {
  Trial drawn = trial;
  drawn.settings.set(keys::measure.seed, static_cast<std::int64_t>(options_.seed));
  if (options_.simulated && options_.round_noise > 0)
    slow_down(drawn.settings, std::exp(options_.round_noise *
                                       Random(mix_seed(options_.seed, kPace, round)).normal()));
  return drawn;
}

void Bench::run_round(std::uint32_t round, const std::function<void(std::size_t)>& after) {
  const ExecutorContext context = executor_context(options_);
  std::size_t done = 0;
  for (const std::size_t t : order_of(round)) {
    TrialRecord record = run_trial(of_round(trials_[t].trial, round), {0, round, 0}, context);
    if (record.status == Status::aborted) throw InterruptedError("interrupted");
    keep(trials_[t], record, round);
    if (after) after(++done);
  }
}

void Bench::keep(const Shared& shared, const TrialRecord& record, std::uint32_t round) {
  for (const auto& [experiment, index] : shared.places) {
    Experiment& e = experiments_[experiment];
    TrialRecord& kept = e.records.emplace_back(record);
    kept.trial = e.plan.trials[index];
    kept.planned = {index, round, 0};
    kept.sequence = e.records.size();
    kept.raw_series.clear();
    e.plan.order.push_back(kept.planned);
    e.plan.rounds = std::max(e.plan.rounds, round + 1);
  }
}

double virtual_step_ms(const Scenario& scenario, const Catalog& catalog) {
  Trial trial;
  trial.settings = substitute(Mode::pipeline, scenario.base, scenario.base, catalog);
  const TrialRecord record = run_trial(
      trial, {},
      executor_context(with_cores({.catalog = catalog, .environment = {}, .simulated = true})));
  if (record.facts.window.steps == 0)
    throw PartError(fmt::format("{} does not run in virtual time: {}", scenario.name,
                                record.reasons.empty() ? "no step" : record.reasons.front().text));
  return static_cast<double>(record.facts.window.ns) * 1e-6 /
         static_cast<double>(record.facts.window.steps);
}

}  // namespace benchbench::selftest
