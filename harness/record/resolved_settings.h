// What the harness itself reads of a trial's settings, typed: dotted keys are looked up here, once.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/words.h"
#include "harness/record/measure_limits.h"
#include "harness/record/value.h"

namespace benchbench {

enum class Dispatch : std::uint8_t {
  shared,       // whoever is free takes the next request
  round_robin,  // worker k makes batches k, k+W, ...: PyTorch with in_order=True
  // The worker with the fewest batches issued and not got: PyTorch with in_order=False.
  least_loaded,
};
template <>
inline constexpr auto kWordsOf<Dispatch> =
    std::to_array<std::string_view>({"shared", "round_robin", "least_loaded"});

// A whole batch, or the rows of one shared by all workers.
enum class WorkUnit : std::uint8_t { batch, sample };
template <>
inline constexpr auto kWordsOf<WorkUnit> = std::to_array<std::string_view>({"batch", "sample"});

struct LoaderSettings {
  std::string use, access;
  std::uint32_t num_workers = 0, batch_size = 1, max_jobs = 1;
  bool in_order = true, drop_last = true, pin_memory = false;
  Dispatch dispatch = Dispatch::shared;
  WorkUnit work_unit = WorkUnit::batch;
  std::uint64_t seed = 0;
  bool holds_data = false;     // loader.residency: host or device
  bool on_device = false;      // loader.residency: device
  bool decodes_there = false;  // loader.decode.backend: nvjpeg
};

// How batches get to a device with memory of its own: trainer.non_blocking, copy_stream, in_flight,
// copy.
struct UploadSettings {
  bool non_blocking = false;    // false: copies from pinned memory hold the host too
  bool own_stream = false;      // copies are not on the stream of the steps
  std::uint32_t in_flight = 2;  // buffers of the device, and so steps under way
  // The first batches stay on the device: what a step costs without its copy.
  bool copy_once = false;
  bool sleeps = false;  // trainer.device_wait: block
};

struct TrainerSettings {
  std::string use, device;
  std::uint64_t seed = 0;
  std::uint32_t intra_op_threads = 1;
  UploadSettings upload;
};

struct DatasetSettings {
  std::optional<std::uint32_t> classes;  // where it is synthesised
  std::string cache = "as_is";           // cold, warm, as_is
  double keep = 1;                       // share of the samples
  bool keeps_classes = false;            // these are chosen by their classes
};

struct MeasureSettings {
  Nanoseconds window{0};
  std::uint64_t window_batches = 1;
  std::optional<Nanoseconds> warmup;      // absent: until steady
  std::optional<Nanoseconds> warmup_cap;  // absent: WarmUpLimits::cap
  Nanoseconds timeout{0};
  int observer = 1;                 // 0 rates, 1 stages, 2 also every single value
  std::uint64_t content_check = 1;  // one payload in so many is compared with the manifest
  Nanoseconds probe_every{0};       // 0: the probes are off
  bool trace = false;
  // For a price alone: no step is discarded but those of the warm-up, and one burst is enough.
  bool probe = false;
  std::uint64_t seed = 0;
};

struct ResolvedSettings {
  LoaderSettings loader;
  TrainerSettings trainer;
  DatasetSettings dataset;
  MeasureSettings measure;
};

// Of one trial, after substitution. Throws ScenarioError naming a key that is absent, PartError
// where two of them contradict each other.
ResolvedSettings resolve(const SettingsMap& settings);

// max(1, num_workers) x prefetch_factor, unless loader.max_jobs says otherwise.
std::uint32_t max_jobs_of(const SettingsMap& settings);

// Batches that arrive together: measure_limits.h.
std::uint64_t burst_size(const LoaderSettings& settings) noexcept;
std::uint64_t burst_size(const SettingsMap& settings);

// One thing that the trainer's thread does once in `steps` steps, by the key that says so.
struct Period {
  std::string key;
  std::uint64_t steps = 0;
};
// Returns them ascending. In virtual time no checkpoint is written.
std::vector<Period> periods_in(const SettingsMap& settings, bool simulated);

// Returns the steps of which a window is a multiple: measure_limits.h, with those periods of which
// the window's batches or room_for_periods() holds whole ones, of steps of `mean_step`.
Repeat steps_to_repeat(const SettingsMap& settings, std::uint64_t burst, Nanoseconds mean_step,
                       bool simulated);
Nanoseconds room_for_periods(const SettingsMap& settings);

// measure.timeout where there is one, without asking for anything else.
Nanoseconds timeout_of(const SettingsMap& settings);

// Returns how many of `samples` dataset.keep leaves, at least 1.
std::uint64_t count_kept(double keep, std::uint64_t samples);
std::uint64_t count_kept(const SettingsMap& settings, std::uint64_t samples);

// Returns "loader.batch_size is 64, but the dataset has 16 samples and drop_last drops incomplete
// batches" where that holds of synthesised data; nullopt elsewhere.
std::optional<std::string> why_no_whole_batch(const SettingsMap& settings);

// Returns the cores that a point or trial has of `available` ones: run.cpus, if that is fewer.
double cores_at(const SettingsMap& settings, double available);

}  // namespace benchbench
