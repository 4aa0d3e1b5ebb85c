#include "harness/app/run/trial_estimate.h"

#include <fmt/format.h>

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

namespace benchbench {
namespace {

constexpr std::string_view kSteps = "3";
constexpr std::string_view kLongest = "60s";

std::string text_of(const Trial& trial, const char* key) {
  const Value* value = trial.settings.find(key);
  return value ? value->text() : "";
}

std::string kind_of(const Trial& t) {
  return fmt::format("{} {} {} {}", name_of(t.mode), text_of(t, "loader.use"),
                     text_of(t, "trainer.use"), text_of(t, "dataset.format"));
}

class ProbeSink final : public TrialSink {
 public:
  ProbeSink(Prices& prices, std::size_t all) : lesson_(prices), all_(all) {}
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
      failures_.insert(fmt::format("{} FAILED while probing: {}", kind_of(record.trial),
                                   record.reasons[0].text));
  }
  int learned() const noexcept { return learned_; }
  const std::set<std::string>& failures() const noexcept { return failures_; }

 private:
  void show(const Trial& trial) {
    progress_.print(fmt::format("probing {} of {}: {}", count_, all_, kind_of(trial)));
  }

  MakingProgress progress_{"probing"};
  PriceLesson lesson_;
  std::chrono::steady_clock::time_point began_;
  std::size_t all_;
  std::size_t count_ = 0;
  int learned_ = 0;
  std::set<std::string> failures_;
};

bool data_is_there(const Trial& trial, const std::string& cache) {
  const auto need = dataset_of(trial.settings, cache);
  return !need || need->ready;
}

bool is_of_mocks(const Trial& trial) {
  const auto mock = [&](PartKind kind, const char* key) {
    const PartRow* row = built_in_catalog().find(kind, text_of(trial, key));
    return !row || row->description->mock;
  };
  return mock(PartKind::loader, "loader.use") && mock(PartKind::trainer, "trainer.use");
}

// By price, or by kind where one price is enough for all of it.
std::vector<Trial> without_price(const PreparedPlan& p, Probing which) {
  const auto identity = [&](const Trial& t) {
    return which == Probing::every_trial ? price_key(t) : kind_of(t);
  };
  std::set<std::string> seen;
  for (const Trial& t : p.plan.trials)
    if (p.prices.contains(price_key(t))) seen.insert(identity(t));
  std::vector<Trial> trials;
  for (const Trial& t : p.plan.trials) {
    if (t.skip || (which == Probing::one_of_a_kind && (t.ablation || is_of_mocks(t)))) continue;
    if (data_is_there(t, p.cache_folder) && seen.insert(identity(t)).second)
      trials.push_back(probe_of(t));
  }
  return trials;
}

}  // namespace

Trial probe_of(Trial trial) {
  const auto set = [&](std::string_view key, ParameterType type, std::string_view text) {
    if (auto value = Value::parse(type, text)) trial.settings.set(key, *value);
  };
  // Fast steps are many in 50 ms; a slow one is one of three, after one that pays for all that is
  // done but once.
  set("measure.window", ParameterType::duration, "50ms");
  set("measure.window_batches", ParameterType::integer, kSteps);
  set("measure.warmup", ParameterType::text, "50ms");
  set("measure.probe", ParameterType::boolean, "true");
  const Nanoseconds own = trial.settings.given("measure.timeout")
                              ? trial.settings.duration("measure.timeout")
                              : Nanoseconds{0};
  if (own.count() <= 0 || own > *parse_duration(kLongest))
    set("measure.timeout", ParameterType::duration, kLongest);
  return trial;
}

bool probe_prices(PreparedPlan& p, Probing which, std::optional<double> seconds) {
  if (p.simulated || (seconds && *seconds <= 0)) return false;
  Plan probes;
  probes.trials = without_price(p, which);
  if (probes.trials.empty()) return false;
  for (std::uint32_t i = 0; i < probes.trials.size(); ++i) probes.order.push_back({i, 0, 0});
  listen_for_interrupts();
  std::optional<ProbeSink> sink(std::in_place, p.prices, probes.trials.size());
  SupervisorOptions options;
  options.program = kOwnProgram;
  options.child_arguments = {"child", "--cache", p.cache_folder};
  options.environment = p.environment;
  options.stop = &interrupted();
  if (seconds) options.budget = {.aim = *seconds, .most = *seconds, .planned = {}};
  supervise(probes, probes.order, options, *sink);
  const int learned = sink->learned();
  const std::set<std::string> failures = sink->failures();
  sink.reset();  // and its line
  for (const std::string& failure : failures) tell(fmt::format("warning: {}\n", failure));
  if (interrupted()) throw InterruptedError("interrupted while probing");
  if (learned > 0) write_prices(p.cache_folder, p.environment.machine, p.prices);
  return learned > 0;
}

}  // namespace benchbench
