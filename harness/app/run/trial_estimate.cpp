#include "harness/app/run/trial_estimate.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <set>

#include "harness/app/interrupt.h"
#include "harness/app/run/making_progress.h"
#include "harness/app/run/price_file.h"
#include "harness/app/run/trial_runner.h"
#include "harness/app/tell.h"
#include "harness/core/child_process.h"
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

class EstimateSink final : public TrialSink {
 public:
  // `doing`: "probing".
  EstimateSink(std::string_view doing, Prices& prices, std::size_t all)
      : doing_(doing), progress_(doing_), lesson_(prices), all_(all) {}
  void started(const Trial& trial, const PlannedRun&) override {
    began_ = std::chrono::steady_clock::now();
    ++count_;
    show(trial);
  }
  void progressed(const Trial& trial, const PlannedRun&, const TrialProgress&) override {
    show(trial);
  }
  void finished(TrialRecord& record) override {
    learned_ += lesson_.learn(
        record, std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count());
    if (record.status == Status::failed && !record.reasons.empty())
      failures_.insert(fmt::format("{} FAILED while {}: {}", kind_of(record.trial), doing_,
                                   record.reasons[0].text));
    if (record.status != Status::aborted) records_.push_back(record);
  }
  int learned() const noexcept { return learned_; }
  const std::set<std::string>& failures() const noexcept { return failures_; }
  std::vector<TrialRecord>& records() noexcept { return records_; }

 private:
  void show(const Trial& trial) {
    progress_.print(fmt::format("{} {} of {}: {}", doing_, count_, all_, kind_of(trial)));
  }

  const std::string doing_;
  MakingProgress progress_;
  PriceLesson lesson_;
  std::chrono::steady_clock::time_point began_;
  std::size_t all_;
  std::size_t count_ = 0;
  int learned_ = 0;
  std::set<std::string> failures_;
  std::vector<TrialRecord> records_;
};

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
    if (p.prices.contains(price_key(t))) seen.insert(identity(t));
  std::vector<Trial> trials;
  for (const Trial& t : p.plan.trials)
    if (!t.skip && data_is_there(t, p.cache_folder) && seen.insert(identity(t)).second)
      trials.push_back(t);
  return trials;
}

struct Learning {
  std::string_view doing;  // "probing"
  std::optional<double> seconds = {};
  Isolation isolation = Isolation::round;
};

// Returns the records of `trials` within the seconds, where they are given. A stop throws where
// there is none that the run keeps.
std::vector<TrialRecord> run_to_learn(PreparedPlan& p, std::vector<Trial> trials,
                                      const Learning& how) {
  Plan plan;
  plan.trials = std::move(trials);
  for (std::uint32_t i = 0; i < plan.trials.size(); ++i) plan.order.push_back({i, 0, 0});
  listen_for_interrupts();
  std::optional<EstimateSink> sink(std::in_place, how.doing, p.prices, plan.trials.size());
  SupervisorOptions options;
  options.program = kOwnProgram;
  options.child_arguments = {"child", "--cache", p.cache_folder};
  options.environment = p.environment;
  options.stop = &interrupted();
  if (how.isolation == Isolation::trial) options.isolation = how.isolation;
  if (how.seconds) options.budget = {.aim = *how.seconds, .most = *how.seconds, .planned = {}};
  supervise(plan, plan.order, options, *sink);
  const int learned = sink->learned();
  const std::set<std::string> failures = sink->failures();
  std::vector<TrialRecord> records = std::move(sink->records());
  sink.reset();  // and its line
  for (const std::string& failure : failures) tell(fmt::format("warning: {}\n", failure));
  if (interrupted() && (!how.seconds || records.empty()))
    throw InterruptedError(fmt::format("interrupted while {}", how.doing));
  if (learned > 0) write_prices(p.cache_folder, p.environment.machine, p.prices);
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
  const Prices before = p.prices;
  run_to_learn(p, std::move(probes), {.doing = "probing"});
  return p.prices.size() > before.size();
}

std::vector<TrialRecord> run_first_trials(PreparedPlan& p, double seconds, Isolation isolation) {
  if (p.simulated || seconds <= 0) return {};
  std::vector<Trial> trials = without_price(p, kind_of);
  std::erase_if(trials, [](const Trial& t) { return t.ablation || is_of_mocks(t); });
  std::erase_if(trials, [left = seconds, &p](const Trial& t) mutable {
    if (p.trial_seconds.at(t.index) > left) return true;
    left -= p.trial_seconds.at(t.index);
    return false;
  });
  if (trials.empty()) return {};
  return run_to_learn(
      p, std::move(trials),
      {.doing = "running first trials", .seconds = seconds, .isolation = isolation});
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
