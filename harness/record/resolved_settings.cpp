#include "harness/record/resolved_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "harness/core/error.h"
#include "harness/record/device_presets.h"
#include "harness/record/external_keys.h"
#include "harness/record/measure_limits.h"
#include "harness/record/setting_keys.h"

namespace benchbench {
namespace {

constexpr Nanoseconds kUsualTimeout = std::chrono::minutes{10};

template <class Number>
Number count(const SettingsMap& settings, std::string_view key) {
  return static_cast<Number>(settings.integer(key));
}

LoaderSettings loader_of(const SettingsMap& s) {
  const bool on_device = keeps_rows_on_device(s);
  return {.use = s.get(keys::loader.use),
          .access = s.get(keys::loader.access),
          .num_workers = s.get(keys::loader.num_workers),
          .batch_size = s.get(keys::loader.batch_size),
          .max_jobs = max_jobs_of(s),
          .in_order = s.get(keys::loader.in_order),
          .drop_last = s.get(keys::loader.drop_last),
          .pin_memory = s.get(keys::loader.pin_memory),
          // Also for `auto`.
          .dispatch = from_name<Dispatch>(s.get(keys::loader.dispatch)).value_or(Dispatch::shared),
          .work_unit = from_name<WorkUnit>(s.get(keys::loader.work_unit)).value_or(WorkUnit::batch),
          .seed = s.get(keys::loader.seed),
          .holds_data = on_device || s.text_or("loader.residency") == "host",
          .on_device = on_device,
          .decodes_there = decodes_on_device(s)};
}

void require_shared_queue(const LoaderSettings& loader) {
  if (loader.work_unit == WorkUnit::sample && loader.dispatch != Dispatch::shared)
    throw PartError("loader.work_unit: sample needs loader.dispatch: shared",
                    "workers that share the rows of a batch are not assigned whole batches");
}

std::uint32_t intra_op_threads_of(const SettingsMap& settings) {
  const std::string text = settings.get(keys::trainer.intra_op_threads);
  const int threads = std::atoi(text.c_str());
  if (threads < 1 && text != std::to_string(kUsersOwnThreads))
    throw PartError(
        fmt::format("trainer.intra_op_threads is \"{}\", not a number of at least 1", text));
  return static_cast<std::uint32_t>(threads);
}

UploadSettings upload_of(const SettingsMap& s) {
  return {.non_blocking = s.get_if(keys::trainer.non_blocking).value_or(false),
          .own_stream = s.get_if(keys::trainer.copy_stream) == "own",
          .in_flight = s.get_if(keys::trainer.in_flight).value_or(2),
          .copy_once = s.get_if(keys::trainer.copy) == "once",
          .sleeps = s.get_if(keys::trainer.device_wait) == "block"};
}

DatasetSettings dataset_of(const SettingsMap& s) {
  DatasetSettings o;
  if (s.given("dataset.synthesize.classes"))
    o.classes = count<std::uint32_t>(s, "dataset.synthesize.classes");
  o.cache = s.get_if(keys::dataset.cache).value_or(o.cache);
  o.keep = s.get_if(keys::dataset.keep).value_or(o.keep);
  o.keeps_classes = s.get_if(keys::dataset.keep_by) == "class";
  return o;
}

MeasureSettings measure_of(const SettingsMap& s) {
  return {.window = s.get(keys::measure.window),
          .window_batches = s.get(keys::measure.window_batches),
          .warmup = parse_duration(s.get(keys::measure.warmup)),  // "until_steady" is no duration
          .warmup_cap = s.get_if(keys::measure.warmup_cap),
          .timeout = s.get(keys::measure.timeout),
          .observer = count<int>(s, keys::measure.observer),
          .content_check = s.get(keys::measure.content_check),
          .probe_every = s.get_if(keys::measure.probe_every).value_or(Nanoseconds{0}),
          .trace = s.get_if(keys::measure.trace).value_or(false),
          .probe = s.given(keys::measure.probe),
          .seed = s.get_if(keys::measure.seed).value_or(0)};  // older stores have none
}

}  // namespace

std::uint32_t max_jobs_of(const SettingsMap& settings) {
  if (settings.given(keys::loader.max_jobs)) return settings.get(keys::loader.max_jobs);
  return std::max(1u, settings.get(keys::loader.num_workers)) *
         settings.get(keys::loader.prefetch_factor);
}

std::uint64_t burst_size(const LoaderSettings& settings) noexcept {
  return burst_size(settings.num_workers, settings.max_jobs,
                    settings.work_unit == WorkUnit::sample ? settings.batch_size : 0);
}

std::uint64_t burst_size(const SettingsMap& settings) {
  const std::uint32_t workers = settings.get(keys::loader.num_workers);
  if (workers < 2) return 1;
  const bool shared = settings.get_if(keys::loader.work_unit) == "sample";
  return burst_size(workers, max_jobs_of(settings),
                    shared ? settings.get(keys::loader.batch_size) : 0);
}

std::vector<Period> periods_in(const SettingsMap& settings, bool simulated) {
  std::vector<Period> periods;
  for (const std::string_view key : std::initializer_list<std::string_view>{
           keys::trainer.postprocess.every, keys::trainer.checkpoint.every, keys::trainer.log_every,
           "trainer.slow_step_every"}) {
    const bool written = !simulated || key != keys::trainer.checkpoint.every;
    const auto steps = settings.given(key) ? count<std::uint64_t>(settings, key) : 0;
    if (written && steps > 0) periods.push_back({std::string(key), steps});
  }
  std::ranges::stable_sort(periods, {}, &Period::steps);
  return periods;
}

Nanoseconds room_for_periods(const SettingsMap& settings) {
  return room_for_periods(settings.get(keys::measure.window), timeout_of(settings));
}

Repeat steps_to_repeat(const SettingsMap& settings, std::uint64_t burst, Nanoseconds mean_step,
                       bool simulated) {
  std::vector<std::uint64_t> steps;
  for (const Period& period : periods_in(settings, simulated)) steps.push_back(period.steps);
  const std::int64_t fit = room_for_periods(settings) / std::max(mean_step, Nanoseconds{1});
  return steps_to_repeat(
      burst, steps,
      std::max(static_cast<std::uint64_t>(fit), settings.get(keys::measure.window_batches)));
}

Nanoseconds timeout_of(const SettingsMap& settings) {
  return settings.get_if(keys::measure.timeout).value_or(kUsualTimeout);
}

ResolvedSettings resolve(const SettingsMap& settings) {
  ResolvedSettings resolved;
  resolved.loader = loader_of(settings);
  require_shared_queue(resolved.loader);
  resolved.trainer = {settings.get(keys::trainer.use), settings.get(keys::trainer.device),
                      settings.get_if(keys::trainer.seed).value_or(0),
                      intra_op_threads_of(settings), upload_of(settings)};
  resolved.dataset = dataset_of(settings);
  resolved.measure = measure_of(settings);
  return resolved;
}

std::uint64_t count_kept(double keep, std::uint64_t samples) {
  if (!(keep < 1)) return samples;
  return std::max<std::uint64_t>(
      1, static_cast<std::uint64_t>(std::llround(keep * static_cast<double>(samples))));
}

std::uint64_t count_kept(const SettingsMap& settings, std::uint64_t samples) {
  return count_kept(settings.get_if(keys::dataset.keep).value_or(1), samples);
}

namespace {

// `samples`: those that are kept.
std::string samples_there(const SettingsMap& settings, std::uint64_t samples) {
  return settings.given(keys::dataset.keep)
             ? fmt::format("dataset.keep: {} leaves {}", settings.text(keys::dataset.keep),
                           counted(samples, "sample"))
             : fmt::format("the dataset has {} samples", samples);
}

}  // namespace

std::optional<std::string> why_no_whole_batch(const SettingsMap& settings) {
  constexpr std::string_view kSamples = "dataset.synthesize.samples";
  const std::uint64_t batch = settings.get_if(keys::loader.batch_size).value_or(0);
  if (!settings.has(kSamples) || settings.get_if(keys::loader.drop_last) != true)
    return std::nullopt;
  const std::uint64_t samples = count_kept(settings, count<std::uint64_t>(settings, kSamples));
  if (batch <= samples) return std::nullopt;
  return fmt::format("loader.batch_size is {}, but {} and drop_last drops incomplete batches",
                     batch, samples_there(settings, samples));
}

double cores_at(const SettingsMap& settings, double available) {
  if (!settings.given(keys::run.cpus)) return available;
  return std::min(available, static_cast<double>(settings.get(keys::run.cpus)));
}

}  // namespace benchbench
