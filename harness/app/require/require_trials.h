// Trials that `require` adds to a scenario's plan.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "harness/analysis/summary/point_summary.h"
#include "harness/part/catalog.h"
#include "harness/record/trial.h"

namespace benchbench {

// Of the cached-batch trial `trainer`, with the same batch handed over at `rate` samples/s by
// rate_limited.
SettingsMap fed_at(const SettingsMap& trainer, double rate, const Catalog& catalog);
// Of the loader's trial: with so many workers; above a store of that name, without figures of the
// scenario's own. `max_jobs_follow`: the scenario leaves loader.max_jobs to the workers and their
// prefetch_factor.
SettingsMap with_workers(const SettingsMap& loader, std::uint32_t workers, bool max_jobs_follow);
SettingsMap above_store(const SettingsMap& loader, std::string_view preset);

// Returns the index of the base point's trial.
inline std::uint32_t index_of_base(const Plan& plan, Mode mode) {
  return *trial_of(plan.points.front(), mode);
}
// Returns the trial of these settings; nullopt: there is none.
std::optional<std::uint32_t> find_trial(const Plan& plan, Mode mode, const SettingsMap& settings);
// The trial of these settings, added as a point labelled so, or the one that is there; its index.
std::uint32_t trial_in(Plan& plan, Mode mode, const SettingsMap& settings, std::string_view key,
                       std::string_view label);

}  // namespace benchbench
