#include "harness/app/run/trial_estimate.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "harness/app/interrupt.h"
#include "harness/app/preparation/price_file.h"
#include "harness/app/preparation/trial_runner.h"
#include "harness/app/session/session.h"
#include "harness/app/status_line.h"
#include "harness/app/tell.h"
#include "harness/core/error.h"
#include "harness/part/catalog.h"
#include "harness/process/supervisor.h"
#include "harness/record/setting_keys.h"

namespace benchbench {
namespace {

constexpr std::string_view kSteps = "3";
constexpr std::string_view kLongest = "60s";

std::string text_of(const Trial& trial, std::string_view key) {
  const Value* value = trial.settings.find(key);
  return value ? value->text() : "";
}

std::string kind_of(const Trial& t) {
  return fmt::format("{} {} {} {}", name_of(t.mode), text_of(t, keys::loader.use),
                     text_of(t, keys::trainer.use), text_of(t, keys::dataset.format));
}

bool data_is_there(const Trial& trial, const std::string& cache) {
  const auto need = dataset_of(trial.settings, cache);
  return !need || need->ready;
}

bool is_of_mocks(const Trial& trial) {
  const auto mock = [&](PartKind kind, std::string_view key) {
    const PartRow* row = built_in_catalog().find(kind, text_of(trial, key));
    return !row || row->description->mock;
  };
  return mock(PartKind::loader, keys::loader.use) && mock(PartKind::trainer, keys::trainer.use);
}

// Returns one trial of each identity of which none has a price.
template <class Identity>
std::vector<Trial> without_price(const PreparedPlan& p, Identity identity) {
  std::set<std::string> seen;
  for (const Trial& t : p.plan.trials)
    if (p.context.prices.contains(price_key(t))) seen.insert(identity(t));
  std::vector<Trial> trials;
  for (const Trial& t : p.plan.trials)
    if (!t.skip && data_is_there(t, p.cache_folder) && seen.insert(identity(t)).second)
      trials.push_back(t);
  return trials;
}

struct Learning {
  std::string doing;  // "probing"
  std::optional<double> seconds = {};
  Isolation isolation = Isolation::round;
};

// Warns of each kind of trial that failed, once for each reason.
void tell_failures(const std::vector<TrialRecord>& records, const std::string& doing) {
  std::set<std::string> failures;
  for (const TrialRecord& r : records)
    if (r.status == Status::failed && !r.reasons.empty())
      failures.insert(
          fmt::format("{} FAILED while {}: {}", kind_of(r.trial), doing, r.reasons[0].text));
  for (const std::string& failure : failures) tell("warning: {}\n", failure);
}

// Runs these trials, and tells which one runs. Returns their records, and sets `learned` where one
// of them has a price now.
std::vector<TrialRecord> run_all(PreparedPlan& p, const Plan& plan, const Learning& how,
                                 bool& learned) {
  StatusLine line;
  PriceLesson lesson(p.context.prices);
  std::size_t at = 0;
  const auto show = [&](const Trial& trial) {
    line.show(fmt::format("{} {} of {}: {}", how.doing, at, plan.trials.size(), kind_of(trial)));
  };
  RunBudget budget;
  if (how.seconds) budget = {.aim = *how.seconds, .most = *how.seconds, .planned = {}};
  Session session(p, std::nullopt);
  session.run(
      plan, plan.order, {.isolation = how.isolation, .budget = std::move(budget)},
      {.started = [&](const Trial& trial, const PlannedRun&) { ++at, show(trial); },
       .progressed = [&](const Trial& trial, const TrialProgress&) { show(trial); },
       .finished = [&](const TrialRecord& record,
                       double seconds) { learned = lesson.learn(record, seconds) || learned; }});
  return session.records();
}

// Returns the records of `trials` within the seconds, where they are given. A stop throws where
// there is none that the run keeps.
std::vector<TrialRecord> run_to_learn(PreparedPlan& p, std::vector<Trial> trials,
                                      const Learning& how) {
  Plan plan;
  plan.trials = std::move(trials);
  for (std::uint32_t i = 0; i < plan.trials.size(); ++i) plan.order.push_back({i, 0, 0});
  listen_for_interrupts();
  bool learned = false;
  std::vector<TrialRecord> records = run_all(p, plan, how, learned);
  tell_failures(records, how.doing);
  std::erase_if(records, [](const TrialRecord& r) { return r.status == Status::aborted; });
  if (interrupted() && (!how.seconds || records.empty()))
    throw InterruptedError(fmt::format("interrupted while {}", how.doing));
  if (learned) write_prices(p.cache_folder, p.environment.machine, p.context.prices);
  return records;
}

}  // namespace

Trial probe_of(Trial trial) {
  const auto set = [&](std::string_view key, ParameterType type, std::string_view text) {
    if (auto value = Value::parse(type, text)) trial.settings.set(key, *value);
  };
  // Fast steps are many in 50 ms; a slow one is one of three, after one that pays for all that is
  // done but once.
  set(keys::measure.window, ParameterType::duration, "50ms");
  set(keys::measure.window_batches, ParameterType::integer, kSteps);
  set(keys::measure.warmup, ParameterType::text, "50ms");
  set(keys::measure.probe, ParameterType::boolean, "true");
  const Nanoseconds own = trial.settings.given(keys::measure.timeout)
                              ? trial.settings.get(keys::measure.timeout)
                              : Nanoseconds{0};
  if (own.count() <= 0 || own > *parse_duration(kLongest))
    set(keys::measure.timeout, ParameterType::duration, kLongest);
  return trial;
}

bool probe_prices(PreparedPlan& p) {
  if (p.simulated) return false;
  std::vector<Trial> probes = without_price(p, price_key);
  if (probes.empty()) return false;
  for (Trial& trial : probes) trial = probe_of(std::move(trial));
  const Prices before = p.context.prices;
  run_to_learn(p, std::move(probes), {.doing = "probing"});
  return p.context.prices.size() > before.size();
}

std::vector<TrialRecord> run_first_trials(PreparedPlan& p, double seconds) {
  if (p.simulated || seconds <= 0) return {};
  std::vector<Trial> trials = without_price(p, kind_of);
  std::erase_if(trials, [](const Trial& t) { return t.ablation || is_of_mocks(t); });
  std::erase_if(trials, [left = seconds, &p](const Trial& t) mutable {
    if (p.trial_seconds.at(t.index) > left) return true;
    left -= p.trial_seconds.at(t.index);
    return false;
  });
  if (trials.empty()) return {};
  return run_to_learn(p, std::move(trials),
                      {.doing = "running first trials",
                       .seconds = seconds,
                       .isolation = read_isolation(p.plan, true)});
}

std::vector<TrialRecord> find_in_plan(std::vector<TrialRecord> first, const Plan& plan) {
  std::vector<TrialRecord> found;
  for (TrialRecord& record : first) {
    const auto trial = std::ranges::find_if(plan.trials, [&](const Trial& t) {
      return !t.skip && t.mode == record.trial.mode && t.digest == record.trial.digest;
    });
    if (trial == plan.trials.end()) continue;
    record.trial = *trial;
    record.planned = {trial->index, 0, 0};
    found.push_back(std::move(record));
  }
  return found;
}

}  // namespace benchbench
