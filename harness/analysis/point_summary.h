// One point's numbers from its judged trials.
#pragma once
#include "harness/analysis/findings.h"
#include "harness/analysis/judged_trials.h"
#include "harness/analysis/verdict.h"

namespace benchbench {

// The trial of a point's mode; nullopt where it was not asked for.
std::optional<std::uint32_t> trial_of(const Point& point, Mode mode) noexcept;

// True if its steps are a device's, which works on while the host makes the next batch: without
// workers, too. Of steps in a process of their own the records say whether they used one.
bool steps_elsewhere(const Point& point, const JudgedTrials& trials);

// What the verdict is made from: the modes' rates of usable rounds, and samples a step.
// `floor` is the A/A floor as a share.
PointRates usable_rates(const Point& point, const JudgedTrials& trials, double floor = 0);

// Everything of a point but `gain`, which needs another point.
PointFindings summarise_point(const Plan& plan, const Point& point, const JudgedTrials& trials,
                              double floor = 0);

// The step of a point's pipeline over all usable rounds; nullopt where waits were not metered.
std::optional<StepIdentity> step_identity(const Point& point, const JudgedTrials& trials);

}  // namespace benchbench
