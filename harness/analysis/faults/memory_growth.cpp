#include <algorithm>

#include "harness/analysis/faults/external_findings.h"
#include "harness/analysis/statistics/statistics.h"

namespace benchbench {
namespace {

// Pages that were shared and are no more: they became private while no more of them are resident.
std::optional<double> copied_bytes(const ExternalWindow& w) {
  const auto& m = w.external.memory;
  const bool forked = w.external.start_method.empty() || w.external.start_method == "fork";
  if (!m || m->samples == 0 || w.workers == 0 || !forked) return std::nullopt;
  return std::max(0.0, static_cast<double>(m->private_growth) -
                           std::max(0.0, static_cast<double>(m->resident_growth)));
}

// Of the whole window: where its workers changed, memory was followed over a part of it.
std::optional<double> copied_in_window(const ExternalWindow& w) {
  const auto bytes = copied_bytes(w);
  if (!bytes) return std::nullopt;
  const double seen = static_cast<double>(w.external.memory->samples),
               all = window_samples(w.facts);
  return *bytes * std::max(1.0, all / seen);
}

std::optional<double> at_this_pace(const ExternalWindow& w) {
  const auto bytes = copied_bytes(w);
  const auto samples = w.external.epoch_samples ? w.external.epoch_samples : w.facts.epochs.samples;
  if (!bytes || !samples) return std::nullopt;
  return *bytes * static_cast<double>(*samples) / static_cast<double>(w.external.memory->samples);
}

std::optional<double> copied_an_epoch(const ExternalWindow& w) {
  const auto bytes = copied_bytes(w);
  const auto paced = at_this_pace(w);
  if (!bytes || !paced) return std::nullopt;
  const auto& shared = w.external.memory->shared;
  return shared ? std::min(*paced, *bytes + static_cast<double>(*shared)) : *paced;
}

// True if pages are copied as samples are read. At once are those of the interpreter's own objects,
// as a worker's collector passes over all of them: 126 MiB of two workers, and none from then on.
bool is_steady(const ExternalScene& scene, const Estimate& bytes) {
  if (bytes.n > 1) return is_clear(bytes);
  const Measured steadiness = scene.trial.mean([](const ExternalWindow& w) {
    return copied_bytes(w) ? w.external.memory->steadiness : std::nullopt;
  });
  return steadiness && steadiness->value >= kSteadyCopies;
}

}  // namespace

std::optional<ExternalFinding> copy_on_write(const ExternalScene& scene) {
  ExternalFinding found = finding_of(ExternalFault::copy_on_write, scene);
  found.bytes = scene.trial.mean(copied_in_window);
  if (!found.bytes || !is_steady(scene, *found.bytes)) return std::nullopt;
  const ExternalWindow last = scene.trial.last_window();
  if (found.workers == 0 || found.bytes->value < kFaultBytes * found.workers) return std::nullopt;
  found.bytes_an_epoch = scene.trial.mean(copied_an_epoch);
  found.all_copied = at_this_pace(last).value_or(0) > copied_an_epoch(last).value_or(0);
  const double most =
      std::max(found.bytes->value, found.bytes_an_epoch ? found.bytes_an_epoch->value : 0.0);
  if (most < kFaultBytesInAll * found.workers) return std::nullopt;
  found.share = scene.memory_bytes > 0 ? std::min(1.0, most / scene.memory_bytes) : 0;
  found.where = place_of_data(last.external);
  return found;
}

}  // namespace benchbench
