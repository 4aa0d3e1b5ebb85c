#include "harness/analysis/summary/gpu_seen.h"

#include <algorithm>

#include "harness/analysis/rules/asked.h"
#include "harness/analysis/rules/checks.h"
#include "harness/analysis/statistics/statistics.h"

namespace benchbench {
namespace {

using Records = std::vector<const TrialRecord*>;

void add_records(JudgedRecords judged, Records& records) {
  for (const JudgedRecord& one : judged)
    if (one.usable() && one.record->facts.gpu && !one.record->facts.gpu->uuid.empty())
      records.push_back(one.record);
}

// A loader may have pinned memory of the card, and has no steps.
Records records_of_steps(const Point& point, const JudgedTrials& trials) {
  Records records;
  for (const auto& [mode, trial] : point.trials)
    if (mode != Mode::loader) add_records(trials.of(trial), records);
  return records;
}

// The pipeline's where there are some.
Records records_of_facts(const Records& records) {
  Records found;
  std::ranges::copy_if(records, std::back_inserter(found),
                       [](const TrialRecord* r) { return r->trial.mode == Mode::pipeline; });
  return found.empty() ? records : found;
}

std::optional<double> joules_per_sample(const TrialRecord* record) {
  const auto samples = window_samples(record->facts);
  const auto& joules = record->facts.gpu->joules;
  return joules && samples > 0 ? std::optional(*joules / samples) : std::nullopt;
}

std::optional<double> clock_hertz(const TrialRecord* record) {
  return rules::busy_gpu_clock(record->facts);
}

std::optional<double> clock_share(const TrialRecord* record) {
  const auto clock = clock_hertz(record);
  const auto ceiling = rules::ceiling(record->environment, "gpu_clock");
  if (!clock || !ceiling || record->facts.gpu->uuid != record->environment.gpu_of_ceilings)
    return std::nullopt;
  return *clock / *ceiling;
}

void note_known(const Records& records, GpuSeen& seen) {
  seen.users_known = seen.slowing_known = seen.errors_known = true;
  for (const TrialRecord* record : records) {
    const GpuFacts& gpu = *record->facts.gpu;
    if (!gpu.divided) seen.divided.reset();
    if (seen.absent.empty()) seen.absent = gpu.absent;
    seen.users_known &= gpu.foreign.has_value();
    seen.slowing_known &= gpu.throttled.has_value();
    seen.errors_known &= gpu.uncorrected.has_value();
  }
}

void note_facts(const Records& records, GpuSeen& seen) {
  seen.clock_hertz = mean_known(records, clock_hertz);
  seen.clock_share = mean_known(records, clock_share);
  seen.power_capped_share =
      mean_known(records, [](const TrialRecord* r) { return r->facts.gpu->power_capped_share; });
  seen.joules_per_sample = mean_known(records, joules_per_sample);
  for (const TrialRecord* record : records) {
    const GpuFacts& gpu = *record->facts.gpu;
    seen.power_limit_watts = gpu.power_limit_watts;
    seen.pcie_generation = std::max(seen.pcie_generation, gpu.pcie_generation);
    seen.pcie_width = std::max(seen.pcie_width, gpu.pcie_width);
  }
}

}  // namespace

std::optional<GpuSeen> see_gpu(const Point& point, const JudgedTrials& trials) {
  const Records records = records_of_steps(point, trials);
  if (records.empty()) return std::nullopt;
  const GpuFacts& first = *records.front()->facts.gpu;
  GpuSeen seen{first.name, first.model, first.uuid, first.divided, first.absent};
  note_known(records, seen);
  note_facts(records_of_facts(records), seen);
  return seen;
}

}  // namespace benchbench
