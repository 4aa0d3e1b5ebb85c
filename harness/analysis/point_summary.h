// One point's numbers from its judged trials.
#pragma once
#include "harness/analysis/findings.h"
#include "harness/analysis/judged_trials.h"
#include "harness/analysis/verdict.h"

namespace benchbench {

// The trial of a point's mode; nullopt where it was not asked for.
std::optional<std::uint32_t> trial_of(const Point& point, Mode mode) noexcept;

// The share of the window that the trainer waited for batches: at most all of it, by whatever its
// terms are rounded. nullopt where that was not metered.
std::optional<double> waited_share(const Facts& facts);

// The share of the window that the trainer's thread waited for a core while its batch was there:
// likewise. nullopt also where it is not known when a batch was there.
std::optional<double> core_wait_share(const Facts& facts);

// Returns what of it the thread had no core for: no more than the kernel says that it was ready to
// run and had none. All of it where the kernel says nothing. The rest is being woken, which a
// loader that has its batches in time saves.
std::optional<double> without_core_share(const Facts& facts);
// The share of the window that the trainer waited for batches or, its batch being there, for a
// core. nullopt where its waits for batches were not metered.
std::optional<double> stalled_share(const Facts& facts);

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
