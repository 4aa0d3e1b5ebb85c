// What a plan costs: seconds, disk, memory; from what earlier trials on this machine taught, guessed where
// they did not.
#pragma once
#include <cstdint>
#include <vector>

#include "harness/plan/planner.h"

namespace benchbench {

// Start-up, warm-up and window of one run of a trial. `guessed` is set where no earlier run tells.
double seconds_of(const Trial& trial, const PlanContext& context, bool& guessed);

// Peak memory of one run: slots x batch and what the parts bring.
std::uint64_t memory_of(const Trial& trial, const PlanContext& context);

// Bytes of one batch by the names that parameters have across parts (height, width, transform.*_crop); rows
// of 64 KiB where none of them is there.
std::uint64_t batch_bytes_guess(const SettingsMap& settings);

// The data that the plan's trials need, one a path, with sizes.
std::vector<DatasetNeed> datasets_of(const std::vector<Trial>& trials, const PlanContext& context);

Price price_of(const Plan& plan, const PlanContext& context);

// ScenarioError, with numbers, where the plan asks for more disk or memory than there is.
void refuse_what_cannot_fit(const Plan& plan, const PlanContext& context);

}  // namespace benchbench
