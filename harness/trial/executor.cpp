#include "harness/trial/executor.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/cpu_limit.h"
#include "harness/core/error.h"
#include "harness/record/device_presets.h"
#include "harness/record/external_way.h"
#include "harness/record/setting_keys.h"
#include "harness/trial/external/external_trial_facts.h"
#include "harness/trial/readings/utc_now.h"
#include "harness/trial/trial_facts.h"

namespace benchbench {
namespace {

// Watching the permit pays where each thread has a core to itself. The trainer's intra-op threads
// count: they spin too.
std::unique_ptr<Runtime> runtime_for(const ResolvedSettings& settings, std::uint32_t background,
                                     double cores) {
  const double threads = settings.loader.num_workers + background +
                         std::max(1.0, static_cast<double>(settings.trainer.intra_op_threads));
  return make_real_runtime(threads <= cores ? std::chrono::microseconds{10} : Nanoseconds{0});
}

// A message of several lines, such as one of the user's code: its first one is the reason.
std::string text_of(const Error& error) {
  std::string text(error.message().substr(0, error.message().find('\n')));
  if (!error.context().empty()) text += fmt::format(" ({})", error.context());
  if (!error.hint().empty()) text += fmt::format("; {}", error.hint());
  return text;
}

std::string details_of(const Error& error) {
  const std::size_t end = error.message().find('\n');
  if (end == std::string_view::npos) return std::string(error.details());
  return fmt::format("{}{}{}", error.message().substr(end + 1), error.details().empty() ? "" : "\n",
                     error.details());
}

void end_as(TrialRecord& record, Status status, std::string text, std::string_view details = {}) {
  record.status = status;
  record.reasons.push_back({"", false, std::move(text), std::string(details)});
}

// As far as it comes; what ended it early is in `cause`.
struct Outcome {
  TrialResult result;
  std::exception_ptr cause;
};

// Steps that took no virtual time took less than the clock's unit.
WindowResult timeless_window(const ClockStands& stands) {
  WindowResult window;
  window.sum.time = kTimelessWindow;
  window.loop.steps = stands.steps, window.loop.samples = stands.samples;
  return window;
}

void measure(const TrialContext& context, TrialParts& parts, WatchedSteps& steps, DataCache& cache,
             TrialResult& result) try {
  result.warm_up = warm_up(context, parts, steps, cache);
  result.window = measure_window(context, parts, steps, cache);
} catch (const ClockStands& stands) {
  result.window = timeless_window(stands);
}

void run_phases(const TrialContext& context, TrialParts& parts, TrialResult& result) {
  result.made = facts_of_parts(parts);
  WatchedSteps steps(context, parts);
  DataCache cache(context, parts, steps, result.cache, result.notices);
  cache.prepare();
  measure(context, parts, steps, cache, result);
  if (parts.own_epochs && parts.own_epochs->short_epochs()) {
    result.warm_up->steady = false;
    result.notices.push_back(parts.own_epochs->notice());
  }
  result.window->loss = last_loss(*parts.trainer);
  steps.report(Phase::finishing, 1, result.window->sum.time);
}

// The parts end with the call, in reverse order; workers that park end outside of any catch.
Outcome run_outcome(const TrialContext& context) {
  Outcome outcome;
  TrialResult& result = outcome.result;
  std::optional<TrialParts> parts;
  try {
    if (context.executor.progress) context.executor.progress({Phase::starting, 0, 0});
    parts.emplace(make_parts(context, result.notices));
    run_phases(context, *parts, result);
  } catch (...) {
    outcome.cause = std::current_exception();
  }
  if (!parts) return outcome;
  result.first_batch = *parts->first_batch;
  try {
    result.end = end_trial(context, *parts, result.notices);
  } catch (...) {  // what was measured is kept
    if (!outcome.cause) outcome.cause = std::current_exception();
  }
  return outcome;
}

// measure.timeout is time on the wall, which a supervisor keeps to as well. Hours of virtual time
// pass in less; where all wait for ever, the simulated clock says so.
TimePoint deadline(const Runtime& runtime, Nanoseconds timeout) {
  return timeout.count() > 0 && !runtime.simulated() ? runtime.now() + timeout : kForever;
}

TrialContext context_of(Runtime& runtime, const TrialRecord& record,
                        const ExecutorContext& executor, const ResolvedSettings& settings) {
  return {record.trial,
          settings,
          executor,
          runtime,
          Interruption(executor.stop, deadline(runtime, settings.measure.timeout),
                       settings.measure.timeout),
          record.planned.round};
}

// A trial that is not in this process. As run_on().
void run_outside(TrialRecord& record, const ExecutorContext& executor,
                 const ResolvedSettings& settings, ExternalWay way) {
  const auto runtime = make_real_runtime(Nanoseconds{0});
  const TrialContext context = context_of(*runtime, record, executor, settings);
  ExternalTrial trial = run_external(context, way);
  record.facts = facts_of(context, trial);
  record.raw_series = series_of(context, trial);
  if (trial.cause) std::rethrow_exception(trial.cause);
}

// What a device refuses once the trial has its parts is no lack of a device: the trial FAILED.
[[noreturn]] void rethrow(const std::exception_ptr& cause, bool made) {
  try {
    std::rethrow_exception(cause);
  } catch (const DeviceError& error) {
    if (!made) throw;
    PartError failed(error.message(), error.hint());
    if (!error.context().empty()) failed.add_context(error.context());
    throw failed;
  }
}

// Fills the record's facts and series as far as it comes. Throws what a part threw,
// InterruptedError on a stop, after the workers have ended.
void run_on(Runtime& runtime, TrialRecord& record, const ExecutorContext& executor,
            const ResolvedSettings& settings) {
  const TrialContext context = context_of(runtime, record, executor, settings);
  Outcome outcome = run_outcome(context);
  record.facts = facts_of(context, outcome.result);
  record.raw_series = series_of(outcome.result);
  // A step measured without its checkpoint is not the step that was asked for.
  if (outcome.result.window && outcome.result.window->checkpoint_failed)
    record.reasons.push_back(
        {"", false, "a checkpoint could not be written; the following steps have none"});
  if (outcome.cause) rethrow(outcome.cause, outcome.result.made.has_value());
}

class SimulatedTrial final : public Job {
 public:
  SimulatedTrial(Runtime& runtime, TrialRecord& record, const ExecutorContext& executor,
                 const ResolvedSettings& settings)
      : runtime_(runtime), record_(record), executor_(executor), settings_(settings) {}
  void run() override { run_on(runtime_, record_, executor_, settings_); }

 private:
  Runtime& runtime_;
  TrialRecord& record_;
  const ExecutorContext& executor_;
  const ResolvedSettings& settings_;
};

// The base point's first pipeline window: events of more would only be more of the same.
bool is_traced(const Trial& trial, const PlannedRun& planned) {
  const bool of_base = trial.points.empty() || std::ranges::count(trial.points, 0u) > 0;
  return of_base && trial.mode == Mode::pipeline && !trial.ablation && planned.round == 0 &&
         planned.repeat == 0;
}

void run_into(TrialRecord& record, const ExecutorContext& context) {
  ResolvedSettings settings = resolve(record.trial.settings);
  std::optional<CpuLimit> limit;
  if (record.trial.settings.given(keys::run.cpus) && !context.simulated)
    limit.emplace(record.trial.settings.get(keys::run.cpus));
  settings.measure.trace = settings.measure.trace && is_traced(record.trial, record.planned);
  const ExternalWay way = external_way(record.trial.settings, context.catalog);
  if (runs_externally(way)) return run_outside(record, context, settings, way);
  // An idle context slows whoever uses the card, and in exclusive compute mode keeps it from it.
  if (is_cuda(settings.trainer.device))
    end_idle_processes(context.catalog, IdleProcesses::on_cards);
  if (context.simulated) {
    const auto runtime = make_simulated_runtime();
    SimulatedTrial trial(*runtime, record, context, settings);
    runtime->run(trial);
    return;
  }
  reset_peak_memory();
  const auto runtime =
      runtime_for(settings, background_threads(record.trial.settings),
                  cores_at(record.trial.settings, context.environment.cores_available));
  run_on(*runtime, record, context, settings);
}

}  // namespace

void end_idle_processes(const Catalog& catalog, IdleProcesses which) {
  for (const PartRow& row : catalog.rows())
    if (row.maker.external.end_idle) row.maker.external.end_idle(which);
}

TrialRecord run_trial(const Trial& trial, const PlannedRun& planned,
                      const ExecutorContext& context) {
  TrialRecord record;
  record.trial = trial;
  record.planned = planned;
  record.started_at = utc_now();
  record.environment = context.environment;
  if (trial.skip) {
    end_as(record, Status::skipped, *trial.skip);
    return record;
  }
  try {
    run_into(record, context);
  } catch (const Error& error) {
    const bool absent = error.kind() == ErrorKind::device;
    const bool stopped = error.kind() == ErrorKind::interrupted;
    end_as(record,
           absent    ? Status::skipped
           : stopped ? Status::aborted
                     : Status::failed,
           text_of(error), details_of(error));
  } catch (const std::bad_alloc&) {
    end_as(record, Status::failed, "out of memory");
  } catch (const std::exception& error) {
    end_as(record, Status::failed, error.what());
  } catch (...) {
    end_as(record, Status::failed, "an object that is not an exception was thrown");
  }
  return record;
}

}  // namespace benchbench
