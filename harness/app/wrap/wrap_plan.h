// A script that was measured, as a plan: one point, whose loader and step are the script's own.
#pragma once
#include "harness/app/wrap/schedule/round_schedule.h"
#include "harness/app/wrap/wrap_options.h"
#include "harness/record/environment.h"
#include "harness/record/trial.h"
#include "harness/tune/space.h"

namespace benchbench {

// Of `rounds` that have stretches of the kinds of `order`; the changed copy of the loader is a
// second point. Throws ScenarioError.
Plan wrap_plan(const WrapRequest& request, const WrapHello& process, const WrapPlanned& planned,
               const Environment& environment);

// Returns the plan of a search for its settings: F at each point of the space. Throws
// ScenarioError.
Plan wrap_search_plan(const WrapRequest& request, const WrapHello& process,
                      const WrapPlanned& planned, const Environment& environment,
                      const Space& space);

// The trial of the plan that stretches of this kind are of.
const Trial& trial_of(const Plan& plan, WrapKind kind);
// The point that they are of: 1 is the changed copy.
inline constexpr std::size_t point_of(WrapKind kind) noexcept { return is_changed(kind) ? 1 : 0; }
inline constexpr Mode mode_of(WrapKind kind) noexcept {
  return kind == WrapKind::full || kind == WrapKind::changed_full ? Mode::pipeline
         : kind == WrapKind::trainer                              ? Mode::trainer
                                                                  : Mode::loader;
}

}  // namespace benchbench
