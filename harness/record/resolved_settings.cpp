#include "harness/record/resolved_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "harness/core/error.h"
#include "harness/record/device/device_presets.h"
#include "harness/record/external_keys.h"
#include "harness/record/measure_limits.h"

namespace benchbench {
namespace {

constexpr Nanoseconds kUsualTimeout = std::chrono::minutes{10};

template <class Number>
Number count(const SettingsMap& settings, std::string_view key) {
  return static_cast<Number>(settings.integer(key));
}

// Absent from runs that were stored before there was one.
std::uint64_t seed_of(const SettingsMap& s, std::string_view key) {
  return s.given(key) ? count<std::uint64_t>(s, key) : 0;
}

LoaderSettings loader_of(const SettingsMap& s) {
  LoaderSettings o;
  o.use = s.text("loader.use");
  o.access = s.text("loader.access");
  o.num_workers = count<std::uint32_t>(s, "loader.num_workers");
  o.batch_size = count<std::uint32_t>(s, "loader.batch_size");
  o.max_jobs = max_jobs_of(s);
  o.in_order = s.boolean("loader.in_order");
  o.drop_last = s.boolean("loader.drop_last");
  o.pin_memory = s.boolean("loader.pin_memory");
  // Also for `auto`.
  o.dispatch = from_name<Dispatch>(s.text("loader.dispatch")).value_or(Dispatch::shared);
  o.work_unit = from_name<WorkUnit>(s.text("loader.work_unit")).value_or(WorkUnit::batch);
  o.seed = count<std::uint64_t>(s, "loader.seed");
  o.on_device = keeps_rows_on_device(s);
  o.decodes_there = decodes_on_device(s);
  o.holds_data = o.on_device || (s.has("loader.residency") && s.text("loader.residency") == "host");
  if (o.work_unit == WorkUnit::sample && o.dispatch != Dispatch::shared)
    throw PartError("loader.work_unit: sample needs loader.dispatch: shared",
                    "workers that share the rows of a batch are not assigned whole batches");
  return o;
}

std::uint32_t intra_op_threads_of(const SettingsMap& settings) {
  const std::string text = settings.text("trainer.intra_op_threads");
  const int threads = std::atoi(text.c_str());
  if (threads < 1 && text != std::to_string(kUsersOwnThreads))
    throw PartError(
        fmt::format("trainer.intra_op_threads is \"{}\", not a number of at least 1", text));
  return static_cast<std::uint32_t>(threads);
}

UploadSettings upload_of(const SettingsMap& s) {
  UploadSettings o;
  if (s.given("trainer.non_blocking")) o.non_blocking = s.boolean("trainer.non_blocking");
  if (s.given("trainer.copy_stream")) o.own_stream = s.text("trainer.copy_stream") == "own";
  if (s.given("trainer.in_flight")) o.in_flight = count<std::uint32_t>(s, "trainer.in_flight");
  if (s.given("trainer.copy")) o.copy_once = s.text("trainer.copy") == "once";
  if (s.given("trainer.device_wait")) o.sleeps = s.text("trainer.device_wait") == "block";
  return o;
}

DatasetSettings dataset_of(const SettingsMap& s) {
  DatasetSettings o;
  if (s.given("dataset.synthesize.classes"))
    o.classes = count<std::uint32_t>(s, "dataset.synthesize.classes");
  if (s.given("dataset.cache")) o.cache = s.text("dataset.cache");
  if (s.given("dataset.keep")) o.keep = s.real("dataset.keep");
  o.keeps_classes = s.given("dataset.keep_by") && s.text("dataset.keep_by") == "class";
  return o;
}

MeasureSettings measure_of(const SettingsMap& s) {
  MeasureSettings o;
  o.window = s.duration("measure.window");
  o.window_batches = count<std::uint64_t>(s, "measure.window_batches");
  o.warmup = parse_duration(s.text("measure.warmup"));  // "until_steady" is no duration
  if (s.given("measure.warmup_cap")) o.warmup_cap = s.duration("measure.warmup_cap");
  o.timeout = s.duration("measure.timeout");
  o.observer = count<int>(s, "measure.observer");
  o.content_check = count<std::uint64_t>(s, "measure.content_check");
  if (s.given("measure.probe_every")) o.probe_every = s.duration("measure.probe_every");
  o.trace = s.given("measure.trace") && s.boolean("measure.trace");
  o.probe = s.given("measure.probe");
  o.seed = seed_of(s, "measure.seed");
  return o;
}

}  // namespace

std::uint32_t max_jobs_of(const SettingsMap& settings) {
  if (settings.given("loader.max_jobs")) return count<std::uint32_t>(settings, "loader.max_jobs");
  return std::max(1u, count<std::uint32_t>(settings, "loader.num_workers")) *
         count<std::uint32_t>(settings, "loader.prefetch_factor");
}

std::uint64_t burst_size(const LoaderSettings& settings) noexcept {
  return burst_size(settings.num_workers, settings.max_jobs,
                    settings.work_unit == WorkUnit::sample ? settings.batch_size : 0);
}

std::uint64_t burst_size(const SettingsMap& settings) {
  const auto workers = count<std::uint32_t>(settings, "loader.num_workers");
  if (workers < 2) return 1;
  const bool shared =
      settings.given("loader.work_unit") && settings.text("loader.work_unit") == "sample";
  return burst_size(workers, max_jobs_of(settings),
                    shared ? count<std::uint64_t>(settings, "loader.batch_size") : 0);
}

std::vector<Period> periods_in(const SettingsMap& settings, bool simulated) {
  std::vector<Period> periods;
  for (const char* key : {"trainer.postprocess.every", "trainer.checkpoint.every",
                          "trainer.log_every", "trainer.slow_step_every"}) {
    const bool written = !simulated || key != std::string_view("trainer.checkpoint.every");
    const auto steps = settings.given(key) ? count<std::uint64_t>(settings, key) : 0;
    if (written && steps > 0) periods.push_back({key, steps});
  }
  std::ranges::stable_sort(periods, {}, &Period::steps);
  return periods;
}

Nanoseconds room_for_periods(const SettingsMap& settings) {
  return room_for_periods(settings.duration("measure.window"), timeout_of(settings));
}

Repeat steps_to_repeat(const SettingsMap& settings, std::uint64_t burst, Nanoseconds mean_step,
                       bool simulated) {
  std::vector<std::uint64_t> steps;
  for (const Period& period : periods_in(settings, simulated)) steps.push_back(period.steps);
  const std::int64_t fit = room_for_periods(settings) / std::max(mean_step, Nanoseconds{1});
  return steps_to_repeat(burst, steps,
                         std::max(static_cast<std::uint64_t>(fit),
                                  count<std::uint64_t>(settings, "measure.window_batches")));
}

Nanoseconds timeout_of(const SettingsMap& settings) {
  return settings.has("measure.timeout") ? settings.duration("measure.timeout") : kUsualTimeout;
}

ResolvedSettings resolve(const SettingsMap& settings) {
  ResolvedSettings resolved;
  resolved.loader = loader_of(settings);
  resolved.trainer = {settings.text("trainer.use"), settings.text("trainer.device"),
                      seed_of(settings, "trainer.seed"), intra_op_threads_of(settings),
                      upload_of(settings)};
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
  return settings.given("dataset.keep") ? count_kept(settings.real("dataset.keep"), samples)
                                        : samples;
}

std::string samples_there(const SettingsMap& settings, std::uint64_t samples) {
  return settings.given("dataset.keep")
             ? fmt::format("dataset.keep: {} leaves {}", settings.text("dataset.keep"),
                           counted(samples, "sample"))
             : fmt::format("the dataset has {} samples", samples);
}

double cores_at(const SettingsMap& settings, double available) {
  if (!settings.given("run.cpus")) return available;
  return std::min(available, static_cast<double>(settings.integer("run.cpus")));
}

}  // namespace benchbench
