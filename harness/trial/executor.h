// Runs one trial in this process: makes its parts, warms up, measures a window, returns raw facts.
#pragma once
#include <atomic>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "harness/part/catalog.h"
#include "harness/part/device.h"
#include "harness/part/external.h"
#include "harness/pipeline/sample_accounting.h"
#include "harness/pipeline/thread_meter.h"
#include "harness/record/trial_record.h"

namespace benchbench {

class CacheControl;

using Phase = ExternalPhase;  // of any trial, wherever it runs

struct TrialProgress {
  Phase phase;
  double share;  // of the window, 0..1
  double samples_per_second;
};

// The label that the manifest has for sample `id`, nullopt where unknown.
using ExpectedLabel = std::function<std::optional<std::int64_t>(SampleId)>;

struct ExecutorContext {
  const Catalog& catalog;
  Environment environment;         // calibrated
  DatasetPlace dataset;            // views stay valid during the trial; empty where none is needed
  ExpectedDigest expected_digest;  // may be empty
  bool simulated = false;          // --clock simulated
  const std::atomic<bool>* stop = nullptr;             // ends the trial as ABORTED at the next step
  std::function<void(const TrialProgress&)> progress;  // at most a few times a second; may be empty
  CacheControl* cache = nullptr;  // of `dataset`, on the real clock; null: nobody can ask or evict
  // What loader.times and trainer.times name, ns of each batch and step; valid during the trial,
  // empty where none is.
  std::span<const std::int64_t> loader_times = {}, trainer_times = {};
  ExpectedBytes expected_bytes = {};  // of the manifest; may be empty
  // From the manifest; may be empty. A data pass alone compares labels.
  ExpectedLabel expected_label = {};
};

// Never throws for what a part does: the record is FAILED with the cause; SKIPPED where a
// DeviceError says that hardware or a module is absent. `planned` is copied into the record;
// sequence and started_at are filled by the caller of the store and here respectively.
TrialRecord run_trial(const Trial& trial, const PlannedRun& planned,
                      const ExecutorContext& context);

// Ends the processes that external parts keep for later trials; on the thread of the trials.
void end_idle_processes(const Catalog& catalog, IdleProcesses which);

// How much later than asked `waits` hybrid waits of `each` ended, ns. Takes waits x each:
// `selftest` asks for enough to have a 99th percentile.
struct Lateness {
  double median_ns = 0, p99_ns = 0, max_ns = 0;
};
Lateness timer_lateness(Runtime& runtime, int waits, Nanoseconds each);

// Clock read, resolution, one stage scope, one queue hop, one timer sleep, of this process; takes
// about 50 ms.
void calibrate(Environment& environment);

}  // namespace benchbench
