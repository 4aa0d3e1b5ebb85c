#include "harness/trial/executor.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/error.h"
#include "harness/trial/background_loader.h"
#include "harness/trial/trial_run.h"
#include "harness/trial/utc_now.h"

namespace benchbench {
namespace {

// Watching the permit pays where each thread has a core to itself. The trainer's intra-op threads count: they
// spin too.
std::unique_ptr<Runtime> runtime_for(const TrialOptions& options, std::uint32_t beside, double cores) {
  const double threads = options.num_workers + beside + std::max(1.0, static_cast<double>(options.intra_op_threads));
  return make_real_runtime(threads <= cores ? std::chrono::microseconds{10} : Nanoseconds{0});
}

std::string text_of(const Error& error) {
  std::string text(error.message());
  if (!error.context().empty()) text += fmt::format(" ({})", error.context());
  if (!error.hint().empty()) text += fmt::format("; {}", error.hint());
  return text;
}

void end_as(TrialRecord& record, Status status, std::string text) {
  record.status = status;
  record.reasons.push_back({.rule = "", .invalid = false, .text = std::move(text)});
}

class SimulatedTrial final : public Job {
 public:
  SimulatedTrial(TrialRecord& record, const ExecutorContext& context, const TrialOptions& options,
                 Runtime& runtime)
      : record_(record), context_(context), options_(options), runtime_(runtime) {}
  void run() override {
    TrialRun run(record_.trial, context_, options_, runtime_);
    run.run(record_);
  }

 private:
  TrialRecord& record_;
  const ExecutorContext& context_;
  const TrialOptions& options_;
  Runtime& runtime_;
};

// The base point's first pipeline window: events of more would only be more of the same.
bool is_traced(const Trial& trial, const PlannedRun& planned) {
  const bool of_base = trial.points.empty() || std::count(trial.points.begin(), trial.points.end(), 0u) > 0;
  return of_base && trial.mode == Mode::pipeline && trial.extra.empty() && planned.round == 0 && planned.repeat == 0;
}

void run_into(TrialRecord& record, const ExecutorContext& context) {
  TrialOptions options = trial_options(record.trial.settings);
  options.trace = options.trace && is_traced(record.trial, record.planned);
  if (context.simulated) {
    const auto runtime = make_simulated_runtime();
    SimulatedTrial trial(record, context, options, *runtime);
    runtime->run(trial);
    return;
  }
  reset_peak_memory();
  const auto runtime = runtime_for(options, background_threads(record.trial.settings), context.environment.cores_available);
  TrialRun(record.trial, context, options, *runtime).run(record);
}

}  // namespace

TrialRecord run_trial(const Trial& trial, const PlannedRun& planned, const ExecutorContext& context) {
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
    end_as(record, absent ? Status::skipped : stopped ? Status::aborted : Status::failed, text_of(error));
  } catch (const std::exception& error) {
    end_as(record, Status::failed, error.what());
  } catch (...) {
    end_as(record, Status::failed, "something that is no exception was thrown");
  }
  return record;
}

}  // namespace benchbench
