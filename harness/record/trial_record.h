// The waist: what one run of one trial gave. Left of it nobody knows statistics, right of it nobody
// knows threads.
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/words.h"
#include "harness/part/external_facts.h"
#include "harness/part/stage_meter.h"
#include "harness/record/environment.h"
#include "harness/record/trial.h"
#include "harness/series/distribution.h"
#include "harness/series/log_histogram.h"
#include "harness/series/stalls.h"
#include "harness/series/steadiness.h"

namespace benchbench {

enum class Status : std::uint8_t { valid, noisy, invalid, failed, skipped, aborted };
template <>
inline constexpr auto kWordsOf<Status> =
    std::to_array<std::string_view>({"VALID", "NOISY", "INVALID", "FAILED", "SKIPPED", "ABORTED"});

struct Reason {
  std::string rule;      // "R06", or "" for a cause that is no rule
  bool invalid = false;  // else a warning
  std::string text;
  // Lines to be shown as they are, such as the traceback of the user's code.
  std::string details = {};
};

struct StageTotal {
  std::int64_t ns = 0;
  std::uint64_t count = 0;
};

// SampleFault's kinds; stored bytes that differ from the manifest's digest, and a row's label from
// its label.
enum class FaultKind : std::uint8_t {
  decode_error,
  truncated,
  warning,
  short_read,
  content,
  label
};
template <>
inline constexpr auto kWordsOf<FaultKind> = std::to_array<std::string_view>(
    {"decode_error", "truncated", "warning", "short_read", "content", "label"});

struct FaultySample {
  std::uint64_t id = 0;
  FaultKind kind = FaultKind::decode_error;
  std::string where, what;
};

// What the trainer's thread did in the window, each term from its own clock reads: they are to add
// up to it.
struct LoopTimes {
  std::int64_t get_ns = 0;         // waiting for a batch: time the loader costs
  std::int64_t accounting_ns = 0;  // our own accounting, between get and step
  std::int64_t step_ns = 0;        // upload, step and finish()
  std::int64_t after_ns = 0;       // post-processing, checkpoints, logging
  std::int64_t report_ns = 0;      // telling the progress
  // Waiting for a core: the part of the gets in which the batch was there. nullopt: it is not
  // known when a batch is there, as of a loader with workers of its own: get_ns is all of the gets.
  std::optional<std::int64_t> core_wait_ns = {};
};

// One worker's window, from its own clock.
struct WorkerTimes {
  std::int64_t fill_ns = 0;
  std::int64_t slot_wait_ns = 0;  // no credit: time the trainer costs
  std::int64_t queue_ns = 0;      // handing a batch over, until it asks for the next request
  std::uint64_t batches = 0;      // handed over
  std::uint64_t reads = 0;        // of the clock, for the instrument's own cost; not stored

  std::int64_t wall_ns() const noexcept { return fill_ns + slot_wait_ns + queue_ns; }
  WorkerTimes& operator+=(const WorkerTimes& o) noexcept {
    fill_ns += o.fill_ns;
    slot_wait_ns += o.slot_wait_ns;
    queue_ns += o.queue_ns;
    batches += o.batches;
    reads += o.reads;
    return *this;
  }
  friend WorkerTimes operator-(WorkerTimes a, const WorkerTimes& b) noexcept {
    return {a.fill_ns - b.fill_ns, a.slot_wait_ns - b.slot_wait_ns, a.queue_ns - b.queue_ns,
            a.batches - b.batches, a.reads - b.reads};
  }
};

// The queue over the whole trial. Little's law: depth_ns, added up as the depth changes, is
// stay_ns, added up from the stamps of the batches.
struct QueueFacts {
  std::uint64_t batches = 0;
  std::int64_t depth_ns = 0;  // the depth added up over time
  std::int64_t stay_ns = 0;   // how long batches lay in it, added up
  std::int64_t seen_ns = 0;   // from its start to its end
  std::uint64_t deepest = 0;
};

enum class ProbeState : std::uint8_t { measured, not_available, lost };
template <>
inline constexpr auto kWordsOf<ProbeState> =
    std::to_array<std::string_view>({"measured", "not available", "lost"});

// One probe sampled beside the window.
struct ProbeFacts {
  std::string name, unit;
  ProbeState state = ProbeState::measured;
  std::string why;  // where it is not measured
  double mean = 0, min = 0, max = 0;
  std::uint64_t samples = 0, lost = 0;
};

// unknown: no data set was read.
enum class CacheDegree : std::uint8_t { unknown, as_is, warm, cold_data, cold_data_metadata };
template <>
inline constexpr auto kWordsOf<CacheDegree> =
    std::to_array<std::string_view>({"", "as_is", "warm", "cold(data)", "cold(data+metadata)"});

// How cold or warm the data were as the window began, with the reason where that is not what was
// asked for.
struct CacheState {
  CacheDegree degree = CacheDegree::unknown;
  std::string why;

  bool cold() const noexcept { return degree >= CacheDegree::cold_data; }
  // "cold(data)", "as_is: virtual time has no page cache"; as it is stored.
  std::string text() const;
  // The inverse; nullopt for any other text.
  static std::optional<CacheState> parse(std::string_view text);
};

// What became of dataset.cache.
struct CacheFacts {
  std::string asked;  // "cold", "warm", "as_is"; empty where no data set is read
  CacheState state;
  std::string method;  // "preadv2", "mincore": how it was proven; empty where it was not
  // The share of the data in the page cache as the window began, the worst.
  std::optional<double> resident_before;
  std::uint64_t evictions = 0;
};

struct WindowFacts {
  std::int64_t ns = 0;        // wall, epoch gaps cut out
  std::uint64_t samples = 0;  // delivered to the trainer and stepped
  std::uint64_t steps = 0;
  // Batches that arrive together, of which `steps` is a multiple: measure_limits.h. 0: a record of
  // before that, or of steps in a process of their own.
  std::uint64_t burst = 0;
  // How far the ends of steps stray from an even pace (series/pace.h), with the time of the rows
  // that the last batch of an epoch lacks. Where rounds are cut at the same place, the rate may be
  // off by so much of `ns`.
  std::optional<std::int64_t> pace_range_ns;
  // Change across the window as a share of its mean; 0 unless noise is ruled out at 99.9 % (older
  // files: 95 %).
  double slope_share = 0;
  // The host timeline of the trainer's thread: adds up to `ns` with `other`. Loader stages are work
  // summed over workers.
  std::array<StageTotal, kStages> stages{};
  Distribution get_blocked;  // per step
  Distribution step;         // per step: the trainer's own time
  LoopTimes loop;
  SteadinessKind steadiness = SteadinessKind::unknown;
  double period_steps = 0;  // of SteadinessKind::periodic
  StallFacts stalls;
  Bins get_blocked_bins, step_bins;
};

// Before the window.
struct StartFacts {
  std::int64_t startup_ns = 0;      // loader, trainer, slots made
  std::int64_t first_batch_ns = 0;  // from first request to first batch got
  std::int64_t warmup_ns = 0;
  std::uint64_t warmup_steps = 0;
  bool steady = true;
};

struct EpochFacts {
  std::uint64_t completed = 0;
  // The mean of those cut out of the window; of an external loader beyond the mean waits for an
  // epoch's first batches.
  std::optional<std::int64_t> gap_ns;
  std::optional<std::uint64_t> samples;  // of one, where a data set is read
};

// The harness's own workers; of a loader's own nothing is known.
struct WorkersFacts {
  std::uint32_t count = 0;
  std::int64_t wall_ns = 0;  // the window x workers
  std::int64_t fill_ns = 0;
  std::int64_t slot_wait_ns = 0;  // no credit: time the trainer costs
  std::int64_t queue_ns = 0;      // handing over
  std::vector<WorkerTimes> each;
  // Of the window's last kMadeTimes batches in the order in which they were handed over: what
  // filling took their worker, and what the trainer's thread took from when each was there for it
  // until it asked for the next. Of a pipeline whose workers each fill whole batches; else empty.
  std::vector<std::int64_t> made_ns, used_ns;
};
inline constexpr std::size_t kMadeTimes = 512;

// Of the process tree over the window.
struct CpuFacts {
  std::optional<double> user_s, system_s;
  std::optional<double> loader_s, trainer_s;
  double cores_available = 0;
  std::optional<double> steal_share, throttled_s;
  // Minor ones of this process; nullopt where the loader or the step has a process of its own.
  std::optional<std::uint64_t> page_faults;
  std::optional<double> others_s = {};  // of other programs, on the CPUs that the trial may use
  // The time in which a thread was ready to run and had no CPU, since another one of the trial or
  // another program had it: the thread that waited longest, and the one that gets the batches.
  std::optional<double> run_delay_most_s = {}, run_delay_trainer_s = {};
};

struct ByteFacts {
  std::optional<std::uint64_t> payload, read, device;
  std::optional<std::uint64_t> reads;   // reads of the storage that `read` is the sum of
  std::optional<std::uint64_t> logged;  // written by the instrument to the file system under test
  std::optional<std::uint64_t> written_there;  // by anyone, over the window
  // Over the whole trial: what the workers were given, and what the manifest says it must have
  // been.
  std::optional<std::uint64_t> loaded, expected;
};

// Samples over the whole trial.
struct AccountingFacts {
  std::uint64_t issued = 0, delivered = 0, dropped = 0, in_flight = 0, duplicated = 0, missing = 0;
};

struct ContentFacts {
  std::uint64_t checked = 0, wrong = 0;
  std::uint64_t decode_errors = 0, decode_warnings = 0;
  std::vector<FaultySample> faults;  // at most 32 named
};

// What measuring cost, and whether its clock can be believed.
struct InstrumentFacts {
  std::uint64_t scopes = 0;
  double overhead_share = 0;             // scopes × calibrated cost / window × threads
  std::optional<double> clock_slew_ppm;  // the monotonic clock against the raw one, over the window
};

// Of a mock that is to take a certain time, over the whole trial: all 0 of a part that is none.
struct MockFacts {
  std::int64_t asked_ns = 0, taken_ns = 0;
  std::uint64_t pieces = 0;  // steps of a trainer, fills of a loader
};

// What the parts say of themselves and were made with.
struct PartFacts {
  std::string batch_digest;                  // of the first batch's bytes
  std::optional<std::uint64_t> batch_bytes;  // of the first batch, as the trainer gets it
  std::optional<double> loss_first, loss_last;
  std::uint64_t trainer_parameters = 0;
  std::uint32_t intra_op_threads = 0;
  std::uint32_t slots = 0, max_jobs = 0;
  std::string loader_note;              // Loader::note()
  std::optional<double> mock_fidelity;  // of the trainer: time taken over time asked for
  MockFacts loader_mock, trainer_mock;
};

struct CheckpointFacts {
  std::uint64_t count = 0, bytes = 0;  // written whole
};

// How the order of an epoch (the first) is shuffled: mean distance of samples from their place in
// storage as a share of a uniform random permutation's, and the share of samples followed by their
// successor in storage.
struct ShuffleFacts {
  std::optional<double> displacement, together;
};

// Elements (tokens) that the workers put into rows over the window: of samples, and as padding
// around them.
struct ElementFacts {
  std::optional<std::uint64_t> count, padding;
};

// The card that a trial used, whoever used it: the harness, the user's Python, a script. What NVML
// says of it over the window apart from its probes; nullopt where it does not say.
struct GpuFacts {
  std::string name = {}, model = {}, uuid = {};  // "cuda:0"; "" where CUDA has no such device here
  std::string absent = {};                       // why there is no NVML; "" where there is
  // Faults of the machine that slowed it down: "hot, power brake"; "none".
  std::optional<std::string> throttled = {};
  // Other reasons that held its clock down, but idleness: "power cap, application clocks"; "none".
  std::optional<std::string> limited = {};
  std::optional<double> power_capped_share = {};  // of the readings
  std::optional<double> joules = {};              // that it took
  std::optional<double> power_limit_watts = {};
  std::optional<std::uint64_t> pcie_generation = {}, pcie_width = {};  // the most that was read
  std::optional<std::uint64_t> foreign = {};  // processes on it that are not of this trial, at most
  std::optional<std::uint64_t> uncorrected = {};   // memory errors that came in the window
  std::optional<bool> divided = {};                // MIG
  std::optional<std::uint64_t> memory_bytes = {};  // all there is, in use or not
};

// What a device with memory of its own did in the window, by events on its streams: span + gaps is
// the window. All is 0 where a segment was cut at a moment that is not the device's.
struct DeviceFacts {
  std::uint64_t steps = 0;
  std::uint64_t copies = 0, copied_bytes = 0;  // of batches to the device
  std::int64_t copy_ns = 0;                    // all those copies, hidden ones too
  std::int64_t copy_exposed_ns = 0;   // of the gaps: a copy of the next step's batch was under way
  std::int64_t idle_for_data_ns = 0;  // of the gaps: the host waited for that batch
  std::int64_t span_ns = 0;           // from the first work of a step to its last
  std::int64_t gaps_ns = 0;           // between steps
  std::uint64_t calls = 0;            // of the host to the device's driver
  // The device that ran: "cuda:0", "NVIDIA H100 80GB HBM3"; of an emulated one there is no uuid.
  std::string name = {}, model = {}, uuid = {};
  // The most by which mock kernels deviate from their times at calibration.
  std::optional<double> kernel_deviation_share = {};
};

// Raw facts of one trial, by subject. Times in ns of the trial's clock, over the window unless said
// otherwise. An empty optional is "not measured", which is not 0.
struct Facts {
  StartFacts start;
  WindowFacts window;
  EpochFacts epochs;
  WorkersFacts workers;
  QueueFacts queue;
  CpuFacts cpu;
  std::optional<std::uint64_t> peak_memory_bytes;
  ByteFacts bytes;
  AccountingFacts accounting;
  ContentFacts content;
  InstrumentFacts instrument;
  PartFacts parts;
  CacheFacts cache;
  CheckpointFacts checkpoints;
  ShuffleFacts shuffle;
  ElementFacts elements;
  std::optional<DeviceFacts> device;  // nullopt where batches stay on the host
  std::optional<GpuFacts> gpu;        // nullopt where the trial used no card
  // The facts of a loader or step in a process of its own, such as the user's Python.
  std::optional<ExternalFacts> external;
  std::vector<ProbeFacts> probes;
  std::optional<double> background_rate;  // samples/s of the loader that ran beside the trainer
  bool simulated = false;
  std::vector<std::string> notices;  // what could not be done as asked and did not end the trial
};

// True if steps in a process of their own were asked onto a card and used none: torch says so, and
// NVML listed them on none.
bool steps_missed_card(std::string_view device, const Facts& facts) noexcept;

// The window of a trial in virtual time whose steps take none: less than the clock's unit, so that
// its rate is a bound.
inline constexpr Nanoseconds kTimelessWindow{1};
inline bool is_timeless(const Facts& facts) noexcept {
  return facts.simulated && facts.window.samples > 0 && facts.window.ns == kTimelessWindow.count();
}

// A series stored beside the journal: series/<sequence>-<name>.bin, little-endian int64 ns, per
// step.
struct SeriesFile {
  std::string name;  // "step", "get_blocked"
  std::string file;  // relative to the run's folder
  std::uint64_t length = 0;
  std::uint64_t kept_every = 1;  // 1: all
  std::uint32_t crc32c = 0;
};

struct TrialRecord {
  std::uint64_t sequence = 0;
  Trial trial;
  PlannedRun planned;
  Status status = Status::valid;
  std::vector<Reason> reasons;
  std::string started_at;  // ISO 8601 UTC
  // Wall, with starting its process and all that is in no window; of a tune's trials.
  std::optional<std::int64_t> took_ns;
  Environment environment;
  Facts facts;
  std::vector<SeriesFile> series;
  // Held in memory between executor and store only.
  std::map<std::string, std::vector<std::int64_t>> raw_series;
};

// One JSON object without a line break; the inverse; throw StoreError naming what is wrong. to_json
// leaves raw_series out.
std::string to_json(const TrialRecord& record);
TrialRecord record_from_json(std::string_view json);
std::string to_json(const Trial& trial);
Trial trial_from_json(std::string_view json);
std::string to_json(const Plan& plan);
Plan plan_from_json(std::string_view json);
std::string to_json(const Environment& environment);
Environment environment_from_json(std::string_view json);

}  // namespace benchbench
