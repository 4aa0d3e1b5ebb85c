// The harness's own settings of a trial, read once.
#pragma once
#include <optional>
#include <string>

#include "harness/record/trial.h"
#include "harness/pipeline/supply.h"

namespace benchbench {

struct TrialOptions {
  std::string loader, trainer, access, device;
  std::uint32_t num_workers, batch_size, max_jobs;
  bool in_order, drop_last, pin_memory;
  Dispatch dispatch;
  WorkUnit work_unit;
  std::uint64_t seed;
  std::uint32_t intra_op_threads;
  std::optional<std::uint32_t> classes;  // where the data set is synthesised

  Nanoseconds window;
  std::uint64_t window_batches;
  std::optional<Nanoseconds> warmup;      // absent: until steady
  std::optional<Nanoseconds> warmup_cap;  // absent: the larger of 2 windows and 10 steps
  Nanoseconds timeout;
  int observer;
  std::uint64_t content_check;
  Nanoseconds probe_every;  // 0: the probes are off
  std::string cache;        // cold, warm, as_is
  bool trace;               // measure.trace; run_trial() clears it for all but a pipeline's first window
};

// Throws ScenarioError naming a key that is absent, PartError where two of them contradict each other.
TrialOptions trial_options(const SettingsMap& settings);

// As the trial has them; the rest is the trainer's and the meters' own.
SupplyOptions supply_options(const TrialOptions& options, std::uint32_t trainer_holds, const MeterOptions& meters);

// max(1, num_workers) × prefetch_factor, unless loader.max_jobs says otherwise.
std::uint32_t max_jobs_of(const SettingsMap& settings);

}  // namespace benchbench
