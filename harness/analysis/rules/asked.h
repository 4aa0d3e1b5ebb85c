// What a trial's settings asked for, as rules need it.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "harness/analysis/rates/window_rates.h"
#include "harness/record/setting_keys.h"

namespace benchbench::rules {

// The trial is a stretch of a wrapped script.
inline bool is_of_script(const SettingsMap& settings) {
  return settings.get_if(keys::measure.window_class) == "stretch";
}

// A data set is read in the window: what a loader without data has been given is left out of its
// trial's settings, and a trainer alone is fed a batch made before.
inline bool reads_dataset(const Trial& trial) {
  const std::string format = trial.settings.text_or(keys::dataset.format);
  return trial.mode != Mode::trainer && !format.empty() && format != "none";
}

// Reads go past the page cache, so that it proves nothing and spoils nothing.
inline bool reads_directly(const Trial& trial) {
  return trial.settings.text_or("loader.io") == "direct";
}

// The loader holds the data in memory of its own, so that the page cache has no part in the window.
inline bool holds_data(const Trial& trial) {
  const std::string residency = trial.settings.text_or("loader.residency");
  return residency == "host" || residency == "device";
}

// What `dataset.cache` asked of a trial that reads a data set from its storage: "cold", "warm",
// "as_is"; empty elsewhere.
inline std::string cache_asked(const TrialRecord& record) {
  if (!record.facts.cache.asked.empty()) return record.facts.cache.asked;
  return reads_dataset(record.trial) && !holds_data(record.trial)
             ? record.trial.settings.text_or(keys::dataset.cache)
             : std::string();
}

inline bool proven_cold(const TrialRecord& record) { return record.facts.cache.state.cold(); }

// A ceiling that `doctor --write` measured on this machine, in base units.
inline std::optional<double> ceiling(const Environment& environment, std::string_view name) {
  for (const auto& [known, value] : environment.ceilings)
    if (known == name && value > 0) return value;
  return std::nullopt;
}

// Likewise of the GPU that steps ran on; ceilings of another one say nothing of it.
inline std::optional<double> gpu_ceiling(const TrialRecord& record, std::string_view name) {
  const auto& device = record.facts.device;
  if (!device || device->uuid.empty() || device->uuid != record.environment.gpu_of_ceilings)
    return std::nullopt;
  return ceiling(record.environment, name);
}

// "cuda:0"; the model where CUDA has no such device here.
inline const std::string& card_name(const GpuFacts& gpu) noexcept {
  return gpu.name.empty() ? gpu.model : gpu.name;
}

// A probe that was there and gave values.
inline const ProbeFacts* measured_probe(const Facts& facts, std::string_view name) {
  for (const ProbeFacts& probe : facts.probes)
    if (probe.name == name && probe.state == ProbeState::measured && probe.samples > 0)
      return &probe;
  return nullptr;
}

// Cores that our process tree kept busy, on average over the window.
inline std::optional<double> our_cores(const Facts& f) {
  if (!f.cpu.user_s || !f.cpu.system_s || f.window.ns <= 0) return std::nullopt;
  return (*f.cpu.user_s + *f.cpu.system_s) / window_seconds(f);
}

}  // namespace benchbench::rules
