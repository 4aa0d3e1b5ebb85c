// Is the data set large enough for what is asked of it? Told before anything runs.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "harness/app/preparation/prepared_plan.h"

namespace benchbench {

// Samples of the data set that these settings read: as synthesised, or as the manifest of one that
// lies ready says.
std::optional<std::uint64_t> samples_known(const SettingsMap& settings,
                                           const std::string& cache_folder);

// ScenarioError where the base point's data set, being known, holds no whole batch and
// loader.drop_last is true.
void refuse_less_than_a_batch(const Plan& plan, const std::string& cache_folder);

// With dataset.cache: cold, in one line: how many samples one window needs if it is to lie within
// one epoch, and what happens with fewer. Empty otherwise.
std::string cold_data_text(const PreparedPlan& prepared);

}  // namespace benchbench
