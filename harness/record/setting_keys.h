// The harness's own settings: each dotted key is written here once, with the type of its value.
// keys.h has their defaults, ranges and descriptions.
#pragma once
#include "harness/record/setting_key.h"

namespace benchbench::keys {

struct Dataset {
  SettingKey<std::string> format{"dataset.format"};
  SettingKey<std::string> path{"dataset.path"};
  struct Columns {
    SettingKey<std::string> image{"dataset.columns.image"};
    SettingKey<std::string> label{"dataset.columns.label"};
    SettingKey<std::string> name{"dataset.columns.name"};
  } columns;
  SettingKey<std::string> prepare{"dataset.prepare"};
  SettingKey<std::uint32_t> prepare_size{"dataset.prepare_size"};
  SettingKey<double> keep{"dataset.keep"};
  SettingKey<std::string> keep_by{"dataset.keep_by", ParameterType::choice};
  SettingKey<std::string> cache{"dataset.cache", ParameterType::choice};
  struct Storage {
    SettingKey<std::string> like{"dataset.storage.like", ParameterType::choice};
    SettingKey<double> bandwidth{"dataset.storage.bandwidth", ParameterType::bandwidth};
    SettingKey<double> connection_bandwidth{"dataset.storage.connection_bandwidth",
                                            ParameterType::bandwidth};
    SettingKey<Nanoseconds> latency{"dataset.storage.latency"};
    SettingKey<std::uint32_t> connections{"dataset.storage.connections"};
    SettingKey<Nanoseconds> seek{"dataset.storage.seek"};
  } storage;
};
inline constexpr Dataset dataset;

struct Loader {
  SettingKey<std::string> use{"loader.use"};
  SettingKey<std::uint32_t> num_workers{"loader.num_workers"};
  SettingKey<std::uint32_t> batch_size{"loader.batch_size"};
  SettingKey<std::uint32_t> prefetch_factor{"loader.prefetch_factor"};
  SettingKey<bool> in_order{"loader.in_order"};
  SettingKey<bool> drop_last{"loader.drop_last"};
  SettingKey<bool> pin_memory{"loader.pin_memory"};
  SettingKey<std::string> access{"loader.access"};
  SettingKey<std::string> dispatch{"loader.dispatch", ParameterType::choice};
  SettingKey<std::string> work_unit{"loader.work_unit", ParameterType::choice};
  SettingKey<std::uint32_t> max_jobs{"loader.max_jobs"};
  SettingKey<std::uint64_t> seed{"loader.seed"};
};
inline constexpr Loader loader;

struct Trainer {
  SettingKey<std::string> use{"trainer.use"};
  SettingKey<std::string> device{"trainer.device"};
  SettingKey<bool> non_blocking{"trainer.non_blocking"};
  SettingKey<std::string> copy_stream{"trainer.copy_stream", ParameterType::choice};
  SettingKey<std::uint32_t> in_flight{"trainer.in_flight"};
  SettingKey<std::string> copy{"trainer.copy", ParameterType::choice};
  SettingKey<std::string> device_wait{"trainer.device_wait", ParameterType::choice};
  struct Emulated {
    SettingKey<std::string> like{"trainer.emulated.like", ParameterType::choice};
    SettingKey<double> pinned{"trainer.emulated.pinned", ParameterType::bandwidth};
    SettingKey<double> pageable{"trainer.emulated.pageable", ParameterType::bandwidth};
    SettingKey<Nanoseconds> copy_call{"trainer.emulated.copy_call"};
    SettingKey<Nanoseconds> launch_call{"trainer.emulated.launch_call"};
    SettingKey<std::uint32_t> queue{"trainer.emulated.queue"};
    SettingKey<std::uint64_t> memory{"trainer.emulated.memory", ParameterType::bytes};
    SettingKey<double> memory_rate{"trainer.emulated.memory_rate", ParameterType::bandwidth};
    SettingKey<bool> moves{"trainer.emulated.moves"};
  } emulated;
  SettingKey<std::string> intra_op_threads{"trainer.intra_op_threads"};
  struct Postprocess {
    SettingKey<std::uint64_t> every{"trainer.postprocess.every"};
    SettingKey<Nanoseconds> time{"trainer.postprocess.time"};
    SettingKey<std::uint64_t> images{"trainer.postprocess.images"};
  } postprocess;
  struct Checkpoint {
    SettingKey<std::uint64_t> every{"trainer.checkpoint.every"};
    SettingKey<std::string> bytes{"trainer.checkpoint.bytes"};
    SettingKey<std::string> path{"trainer.checkpoint.path"};
    SettingKey<bool> fsync{"trainer.checkpoint.fsync"};
  } checkpoint;
  SettingKey<std::uint64_t> log_every{"trainer.log_every"};
  SettingKey<std::uint64_t> seed{"trainer.seed"};
};
inline constexpr Trainer trainer;

struct Measure {
  SettingKey<std::uint32_t> rounds{"measure.rounds"};
  SettingKey<std::string> window_class{"measure.class", ParameterType::choice};
  SettingKey<Nanoseconds> window{"measure.window"};
  SettingKey<std::uint64_t> window_batches{"measure.window_batches"};
  SettingKey<std::string> warmup{"measure.warmup"};
  SettingKey<Nanoseconds> warmup_cap{"measure.warmup_cap"};
  SettingKey<Nanoseconds> budget{"measure.budget"};
  SettingKey<std::string> modes{"measure.modes"};
  SettingKey<std::string> isolation{"measure.isolation", ParameterType::choice};
  SettingKey<std::uint32_t> observer{"measure.observer"};
  SettingKey<Nanoseconds> timeout{"measure.timeout"};
  SettingKey<std::uint64_t> seed{"measure.seed"};
  SettingKey<std::uint64_t> content_check{"measure.content_check"};
  SettingKey<double> stop_at{"measure.stop_at"};
  SettingKey<std::uint32_t> max_rounds{"measure.max_rounds"};
  SettingKey<double> au_at_least{"measure.au_at_least"};
  SettingKey<bool> substitute{"measure.substitute"};
  SettingKey<bool> interference{"measure.interference"};
  SettingKey<bool> trace{"measure.trace"};
  SettingKey<Nanoseconds> probe_every{"measure.probe_every"};
  struct Alarms {
    SettingKey<double> memory{"measure.alarms.memory"};
    SettingKey<double> cores{"measure.alarms.cores"};
    SettingKey<double> throttled{"measure.alarms.throttled"};
    SettingKey<double> memory_growth{"measure.alarms.memory_growth"};
    SettingKey<double> loader_growth{"measure.alarms.loader_growth"};
    SettingKey<double> exposed_wait{"measure.alarms.exposed_wait"};
    SettingKey<double> other_writes{"measure.alarms.other_writes"};
    SettingKey<double> disk{"measure.alarms.disk"};
    SettingKey<double> network{"measure.alarms.network"};
    SettingKey<double> device_idle{"measure.alarms.device_idle"};
    SettingKey<double> device_memory{"measure.alarms.device_memory"};
  } alarms;
  SettingKey<std::string> declare{"measure.declare"};
  SettingKey<bool> probe{"measure.probe"};
};
inline constexpr Measure measure;

struct Run {
  SettingKey<std::uint32_t> cpus{"run.cpus"};
};
inline constexpr Run run;

}  // namespace benchbench::keys
