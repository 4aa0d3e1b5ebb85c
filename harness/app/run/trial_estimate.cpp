#include "harness/app/run/trial_estimate.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <set>

#include "harness/app/interrupt.h"
#include "harness/app/run/price_file.h"
#include "harness/app/run/trial_runner.h"
#include "harness/core/child_process.h"
#include "harness/core/error.h"
#include "harness/process/supervisor.h"

namespace benchbench {
namespace {

constexpr std::string_view kSteps = "3";

// The same trial, but only long enough to see a step's cost.
Trial probe_of(Trial trial) {
  const auto set = [&](std::string_view key, ParameterType type, std::string_view text) {
    if (auto value = Value::parse(type, text)) trial.settings.set(key, *value);
  };
  set("measure.window", ParameterType::duration, "1ms");
  set("measure.window_batches", ParameterType::integer, kSteps);
  set("measure.warmup", ParameterType::text, "1ms");
  set("measure.timeout", ParameterType::duration, "60s");
  return trial;
}

class ProbeSink final : public TrialSink {
 public:
  explicit ProbeSink(PreparedPlan& prepared) : prepared_(prepared) {}
  void started(const Trial&, const PlannedRun&) override {
    if (::isatty(STDERR_FILENO)) fmt::print(stderr, "\r\033[Kprobing {} ...", ++count_);
  }
  void progressed(const Trial&, const PlannedRun&, const TrialProgress&) override {}
  void finished(TrialRecord& record) override { learned_ += learn_price(prepared_.prices, record); }
  int learned() const noexcept { return learned_; }

 private:
  PreparedPlan& prepared_;
  int count_ = 0, learned_ = 0;
};

bool data_is_there(const Trial& trial, const std::string& cache) {
  const auto need = dataset_of(trial.settings, cache);
  return !need || need->ready;
}

}  // namespace

void probe_prices(PreparedPlan& p, const Arguments& arguments) {
  if (p.simulated) return;
  Plan probes;
  std::set<std::string> seen;
  for (const Trial& t : p.plan.trials) {
    if (t.skip || !data_is_there(t, p.cache_folder) || p.prices.contains(price_key(t)) || !seen.insert(price_key(t)).second)
      continue;
    probes.order.push_back({static_cast<std::uint32_t>(probes.trials.size()), 0, 0});
    probes.trials.push_back(probe_of(t));
  }
  if (probes.trials.empty()) return;
  listen_for_interrupts();
  ProbeSink sink(p);
  SupervisorOptions options;
  options.program = kOwnProgram;
  options.child_arguments = {"child", "--cache", p.cache_folder};
  options.environment = p.environment;
  options.stop = &interrupted();
  supervise(probes, probes.order, options, sink);
  if (::isatty(STDERR_FILENO)) std::fputs("\r\033[K", stderr);
  if (interrupted()) throw InterruptedError("interrupted while probing");
  if (sink.learned() == 0) return;
  write_prices(p.cache_folder, p.environment.machine, p.prices);
  p = prepare_plan(arguments);
}

}  // namespace benchbench
