// Windows with which every trial must be INVALID (rule R07), or must outlast its timeout, known
// before anything runs.
#pragma once
#include "harness/plan/planner.h"
#include "harness/record/measure_limits.h"

namespace benchbench {

// What a trial's step takes, s: between these for certain.
struct StepBounds {
  double least = 0;
  double most = 0;  // infinite where nothing is known
};

// `least` from what mocks are set to; `most` from that and from an earlier run on this machine,
// whichever took longer.
StepBounds step_bounds(const Trial& trial, const PlanContext& context);

// Whether a window that ends once `window` has passed and `batches` were counted can reach what
// `needs` asks, for some step within the bounds.
bool can_last(double window_seconds, double batches, const WindowClass& needs,
              const StepBounds& step) noexcept;

// ScenarioError with the keys, their values and the smallest window that would do, where no trial's
// window can last.
void refuse_short_windows(const Plan& plan, const PlanContext& context);

// ScenarioError where warm-up and window alone, or the fewest batches of a window and those before
// it, take longer than measure.timeout, at which a trial is ended and FAILED. Nothing in virtual
// time, which passes faster than a timeout's.
void refuse_windows_beyond_timeout(const Plan& plan, const PlanContext& context);

}  // namespace benchbench
