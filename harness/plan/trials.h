// Points x modes -> trials, shared where the substituted settings are equal; and which of them
// cannot run here.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "harness/plan/planner.h"

namespace benchbench {

// The modes that `measure.modes` names, in the order loader, trainer, pipeline.
std::vector<Mode> modes_of(const SettingsMap& settings);

// Fills the trials of every point. Equal digests share one trial; the second, third point with the
// same settings has trials of its own. `without_trainer` is the index of a point that is measured
// in all modes but the trainer's (the second reference), kNoPoint for none.
inline constexpr std::uint32_t kNoPoint = ~0u;
std::vector<Trial> make_trials(std::vector<Point>& points, const Catalog& catalog,
                               std::uint32_t without_trainer);

// What tells trials apart: equal digests are one trial. `repeat` is how many points with these
// settings come before, each with its own trials; 0 adds nothing, so that digests of older stores
// stay.
std::string digest_of_trial(Mode mode, const SettingsMap& settings, std::uint32_t repeat = 0);

// Why a trial cannot run on this machine; nullopt where it can.
std::optional<std::string> reason_to_skip(const Trial& trial, const PlanContext& context);

// Whether such a reason is that this machine has no such device, memory or module; the scenario is
// sound then.
bool is_lack_of_machine(std::string_view reason) noexcept;

// Sets Trial::skip everywhere and Point::skip where none of a point's trials is left. ScenarioError
// where nothing is left under the simulated clock.
void mark_skips(std::vector<Point>& points, std::vector<Trial>& trials, const PlanContext& context);

}  // namespace benchbench
