// The waist: what one run of one trial gave. Left of it nobody knows statistics, right of it nobody knows threads.
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/part/stage_meter.h"
#include "harness/record/environment.h"
#include "harness/record/trial.h"
#include "harness/series/distribution.h"
#include "harness/series/log_histogram.h"
#include "harness/series/stalls.h"

namespace benchbench {

enum class Status : std::uint8_t { valid, noisy, invalid, failed, skipped, aborted };
std::string_view name_of(Status s) noexcept;     // "VALID", ...
std::optional<Status> status_from(std::string_view text) noexcept;

struct Reason {
  std::string rule;       // "R06", or "" for a cause that is no rule
  bool invalid = false;     // else a doubt
  std::string text;
};

struct StageTotal {
  std::int64_t ns = 0;
  std::uint64_t count = 0;
};

struct FaultySample {
  std::uint64_t id = 0;
  std::string kind, where, what;
};

// What the trainer's thread did in the window, each term from its own clock reads: they are to add up to it.
struct LoopFacts {
  std::int64_t get_ns = 0;      // waiting for a batch
  std::int64_t accounting_ns = 0;    // our own accounting, between get and step
  std::int64_t step_ns = 0;     // upload and step
  std::int64_t after_ns = 0;    // post-processing, checkpoints, logging
  std::int64_t report_ns = 0;   // telling the progress
};

// One worker's window, from its own clock.
struct WorkerFacts {
  std::int64_t fill_ns = 0, slot_wait_ns = 0, queue_ns = 0;
  std::uint64_t batches = 0;
};

// The queue over the whole trial. Little's law: depth_ns, from the queue's own readings, is stay_ns, from the stamps of
// the batches.
struct QueueFacts {
  std::uint64_t batches = 0;
  std::int64_t depth_ns = 0;    // the depth added up over time
  std::int64_t stay_ns = 0;     // how long batches lay in it, added up
  std::int64_t seen_ns = 0;     // from its start to its end
  std::uint64_t deepest = 0;
};

// One probe sampled beside the window.
struct ProbeFacts {
  std::string name, unit;
  std::string state;            // "measured", "not available", "lost"
  std::string why;              // of the latter two
  double mean = 0, min = 0, max = 0;
  std::uint64_t samples = 0, lost = 0;
};

// What became of dataset.cache.
struct CacheFacts {
  std::string asked;            // "cold", "warm", "as_is"; empty where no data set is read
  std::string degree;           // "cold(data)", "warm", "as_is", with the reason where it is not what was asked
  std::string method;           // "preadv2", "mincore": how it was proven; empty where it was not
  std::optional<double> resident_before;   // share of the data in the page cache as the window began, the worst
  std::uint64_t evictions = 0;
};

// Raw facts of one trial. Times in ns of the trial's clock, over the window unless said otherwise. An empty optional
// is "not measured", which is not 0.
struct Facts {
  // the window
  std::int64_t window_ns = 0;                // wall, epoch gaps cut out
  std::uint64_t samples = 0;                 // delivered to the trainer and stepped
  std::uint64_t steps = 0;
  // before it
  std::int64_t startup_ns = 0;               // loader, trainer, slots made
  std::int64_t first_batch_ns = 0;           // from first request to first batch got
  std::int64_t warmup_ns = 0;
  std::uint64_t warmup_steps = 0;
  bool steady = true;
  double slope_share = 0;                    // change across the window as a share of its mean
  // boundaries
  std::uint64_t epochs_completed = 0;
  std::optional<std::int64_t> epoch_gap_ns;  // mean of those cut
  // the host timeline of the trainer's thread: adds up to window_ns with `other`
  std::array<StageTotal, kStages> stages{};  // loader stages are work summed over workers
  Distribution get_blocked;                  // per step
  Distribution step;                         // per step: the trainer's own time
  // workers
  std::uint32_t workers = 0;
  std::int64_t worker_wall_ns = 0;           // window_ns x workers
  std::int64_t worker_fill_ns = 0;
  std::int64_t worker_slot_wait_ns = 0;      // no credit: time the trainer costs
  std::int64_t worker_queue_ns = 0;          // handing over
  // resources, of the process tree over the window
  std::optional<double> cpu_user_s, cpu_system_s;
  std::optional<double> cpu_loader_s, cpu_trainer_s;
  double cores_available = 0;
  std::optional<std::uint64_t> peak_memory_bytes;
  std::optional<std::uint64_t> bytes_payload, bytes_read, bytes_device;
  std::optional<double> steal_share, throttled_s;
  // conservation, over the whole trial
  std::uint64_t issued = 0, delivered = 0, dropped = 0, in_flight = 0, duplicated = 0, missing = 0;
  // content
  std::uint64_t content_checked = 0, content_wrong = 0;
  std::uint64_t decode_errors = 0, decode_warnings = 0;
  std::vector<FaultySample> faults;          // at most 32 named
  // the instrument
  std::uint64_t scopes = 0;
  double overhead_share = 0;                 // scopes × calibrated cost / window × threads
  // parts
  std::string batch_digest;                  // of the first batch's bytes
  std::optional<double> loss_first, loss_last;
  std::uint64_t trainer_parameters = 0;
  std::uint32_t intra_op_threads = 0;
  std::uint32_t slots = 0, max_jobs = 0;
  bool simulated = false;
  // the instrument's own checks
  LoopFacts loop;
  std::vector<WorkerFacts> each_worker;
  QueueFacts queue;
  std::optional<double> clock_slew_ppm;      // the monotonic clock against the raw one, over the window
  // the shape of the window
  std::string steadiness;                    // "steady", "slope", "periodic", "unsteady"; empty: too short to say
  double period_steps = 0;                   // of "periodic"
  StallFacts stalls;
  Bins get_blocked_bins, step_bins;
  // beside it
  std::vector<ProbeFacts> probes;
  CacheFacts cache;
  std::uint64_t checkpoints = 0, checkpoint_bytes = 0;
  std::optional<std::uint64_t> bytes_logged;        // written by the instrument to the file system under test
  std::optional<std::uint64_t> bytes_written_there; // by anyone, over the window
  // Over the whole trial: what the workers were given, and what the manifest says it must have been.
  std::optional<std::uint64_t> bytes_loaded, bytes_expected;
  std::optional<double> background_rate;         // samples/s of the loader that ran beside the trainer
  std::optional<double> mock_fidelity;       // Trainer::fidelity()
  // How the order of an epoch (the first) is shuffled: mean distance of samples from their place in storage as a share of a
  // uniform random permutation's, and the share of samples followed by their successor in storage.
  std::optional<double> shuffle_displacement, shuffle_together;
  // Elements (tokens) that the workers put into rows over the window: of samples, and as padding around them.
  std::optional<std::uint64_t> elements, elements_padding;
  std::string loader_note;                   // Loader::note()
  std::vector<std::string> notices;          // what could not be done as asked and did not end the trial
};

// A series stored beside the journal: series/<sequence>-<name>.bin, little-endian int64 ns, per step.
struct SeriesFile {
  std::string name;        // "step", "get_blocked"
  std::string file;        // relative to the run's folder
  std::uint64_t length = 0;
  std::uint64_t kept_every = 1;   // 1: all
  std::uint32_t crc32c = 0;
};

struct TrialRecord {
  std::uint64_t sequence = 0;
  Trial trial;
  PlannedRun planned;
  Status status = Status::valid;
  std::vector<Reason> reasons;
  std::string started_at;         // ISO 8601 UTC
  Environment environment;
  Facts facts;
  std::vector<SeriesFile> series;
  // Held in memory between executor and store only.
  std::map<std::string, std::vector<std::int64_t>> raw_series;
};

// One JSON object without a line break; the inverse; throw StoreError naming what is wrong. to_json leaves raw_series out.
std::string to_json(const TrialRecord& record);
TrialRecord record_from_json(std::string_view json);
std::string to_json(const Trial& trial);
Trial trial_from_json(std::string_view json);
std::string to_json(const Plan& plan);
Plan plan_from_json(std::string_view json);
std::string to_json(const Environment& environment);
Environment environment_from_json(std::string_view json);

}  // namespace benchbench
