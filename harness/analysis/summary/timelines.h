// The time of one point's step, thread by thread.
#pragma once
#include <optional>
#include <vector>

#include "harness/analysis/rates/host_timeline.h"
#include "harness/analysis/rules/judged_trials.h"

namespace benchbench {

// One thread's time, per step of one point's pipeline, over all usable rounds. Parts and residual
// add up to the step.
struct Timeline {
  std::string name;      // "host", "device"
  bool measured = true;  // false: batches stay on the host, whose timeline has all the work
  double step_ms = 0;
  NamedTimes parts;           // ms per step
  double residual_ms = 0;     // what no part accounts for; below 0, something was billed twice
  double residual_share = 0;  // of the step
};

// The step of one point's pipeline, adding up: name -> ms per step, last entry "other".
struct StepIdentity {
  std::uint32_t point = 0;
  double step_ms = 0;
  NamedTimes parts;  // of the trainer's thread, ms
  // The same step on a device with memory of its own; else empty.
  NamedTimes device_parts;
};

// The work and waits of workers, in ms of all of them together per step; they may overlap the step.
struct LoaderWork {
  std::uint32_t workers = 0;
  NamedTimes parts;        // stages, then "slot_wait", "queue"
  double residual_ms = 0;  // filling that no stage accounts for
};

// Host and device, in this order; empty where the point's pipeline has no usable round with metered
// waits. Device work has a timeline of its own only where steps are enqueued; else it is on the
// host's and the device's says so.
std::vector<Timeline> timelines_of(const Point& point, const JudgedTrials& trials);

// nullopt where no worker was metered.
std::optional<LoaderWork> loader_work_of(const Point& point, const JudgedTrials& trials);

// The step of a point's pipeline over all usable rounds; nullopt where waits were not metered.
std::optional<StepIdentity> step_identity(const Point& point, const JudgedTrials& trials);

}  // namespace benchbench
