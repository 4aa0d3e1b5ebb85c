#include "harness/trial/trial_options.h"

#include <algorithm>

#include <fmt/format.h>

#include "harness/core/error.h"

namespace benchbench {
namespace {

template <class Number>
Number count(const SettingsMap& settings, std::string_view key) {
  return static_cast<Number>(settings.integer(key));
}

Dispatch dispatch_from(const std::string& text) {
  if (text == "round_robin") return Dispatch::round_robin;
  if (text == "least_loaded") return Dispatch::least_loaded;
  return Dispatch::shared;  // also `auto`
}

// "until_steady" is no duration; what else it may be was checked when the scenario was read.
std::optional<Nanoseconds> warmup_from(const SettingsMap& settings) {
  return parse_duration(settings.text("measure.warmup"));
}

std::uint32_t intra_op_threads_from(const SettingsMap& settings) {
  const std::string text = settings.text("trainer.intra_op_threads");
  const int threads = std::atoi(text.c_str());
  if (threads < 1)
    throw PartError(fmt::format("trainer.intra_op_threads is \"{}\", not a number of at least 1", text));
  return static_cast<std::uint32_t>(threads);
}

std::optional<std::uint32_t> classes_from(const SettingsMap& settings) {
  for (const char* key : {"dataset.synthesize.classes", "prototype.dataset.synthesize.classes"})
    if (settings.given(key)) return count<std::uint32_t>(settings, key);
  return std::nullopt;
}

}  // namespace

std::uint32_t max_jobs_of(const SettingsMap& settings) {
  if (settings.given("loader.max_jobs")) return count<std::uint32_t>(settings, "loader.max_jobs");
  return std::max(1u, count<std::uint32_t>(settings, "loader.num_workers")) *
         count<std::uint32_t>(settings, "loader.prefetch_factor");
}

SupplyOptions supply_options(const TrialOptions& o, std::uint32_t trainer_holds, const MeterOptions& meters) {
  return {.num_workers = o.num_workers,
          .batch_size = o.batch_size,
          .max_jobs = o.max_jobs,
          .in_order = o.in_order,
          .drop_last = o.drop_last,
          .dispatch = o.dispatch,
          .work_unit = o.work_unit,
          .seed = o.seed,
          .trainer_holds = trainer_holds,
          .memory = o.pin_memory ? Memory::pinned : Memory::host,
          .meters = meters};
}

TrialOptions trial_options(const SettingsMap& s) {
  TrialOptions o{};
  o.loader = s.text("loader.use");
  o.trainer = s.text("trainer.use");
  o.access = s.text("loader.access");
  o.device = s.text("trainer.device");
  o.num_workers = count<std::uint32_t>(s, "loader.num_workers");
  o.batch_size = count<std::uint32_t>(s, "loader.batch_size");
  o.max_jobs = max_jobs_of(s);
  o.in_order = s.boolean("loader.in_order");
  o.drop_last = s.boolean("loader.drop_last");
  o.pin_memory = s.boolean("loader.pin_memory");
  o.dispatch = dispatch_from(s.text("loader.dispatch"));
  o.work_unit = s.text("loader.work_unit") == "sample" ? WorkUnit::sample : WorkUnit::batch;
  o.seed = count<std::uint64_t>(s, "loader.seed");
  o.intra_op_threads = intra_op_threads_from(s);
  o.classes = classes_from(s);
  o.window = s.duration("measure.window");
  o.window_batches = count<std::uint64_t>(s, "measure.window_batches");
  o.warmup = warmup_from(s);
  if (s.given("measure.warmup_cap")) o.warmup_cap = s.duration("measure.warmup_cap");
  o.timeout = s.duration("measure.timeout");
  o.observer = count<int>(s, "measure.observer");
  o.content_check = count<std::uint64_t>(s, "measure.content_check");
  o.trace = s.given("measure.trace") && s.boolean("measure.trace");
  o.cache = s.given("dataset.cache") ? s.text("dataset.cache") : "as_is";
  if (s.given("measure.probe_every")) o.probe_every = s.duration("measure.probe_every");
  if (o.work_unit == WorkUnit::sample && o.dispatch != Dispatch::shared)
    throw PartError("loader.work_unit: sample needs loader.dispatch: shared",
                    "workers that share the rows of a batch have no batches of their own");
  return o;
}

}  // namespace benchbench
