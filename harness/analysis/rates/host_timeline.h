// The step as the trainer's thread saw it, and as the device did: what was metered, and what is
// left.
#pragma once
#include <string_view>
#include <utility>
#include <vector>

#include "harness/record/trial_record.h"

namespace benchbench {

// The stages that a loader's work is metered by, in the order they happen.
inline constexpr Stage kLoaderStages[] = {Stage::lock,   Stage::read,      Stage::parse,
                                          Stage::decode, Stage::transform, Stage::collate,
                                          Stage::pin};

// Names and times, in ns over the window.
using TimeParts = std::vector<std::pair<std::string_view, double>>;
// The same in ms a step.
using NamedTimes = std::vector<std::pair<std::string, double>>;

// Adds up to the window: Σ parts + other = window_ns. Only what was measured is listed; `other` may
// be negative, which means that something was billed twice.
struct HostTimeline {
  TimeParts parts;  // in the order they happen
  double other_ns = 0;
  double residual_share = 0;  // other / window
};

inline const StageTotal& total_of(const Facts& facts, Stage s) {
  return facts.window.stages[static_cast<std::size_t>(s)];
}

// Where steps are enqueued for a device, forward and backward lie on the device's timeline and are
// left out here; h2d and d2h are copies that hold the host. A trainer that meters no stage of its
// own is one part, "trainer".
HostTimeline host_timeline(const Facts& facts);

// False: a segment of the window was cut at a moment that is not the device's.
inline bool times_known(const DeviceFacts& device) noexcept {
  return device.span_ns + device.gaps_ns > 0;
}

// The step as a device with memory of its own did it, ns over the window: its work by stage, gaps
// between steps by what was under way, and the rest of its idle time, so that they add up to the
// window. Empty where facts.device is, or where its times are not known.
TimeParts device_timeline(const Facts& facts);
// The loader's stages that were metered.
TimeParts loader_stages(const Facts& facts);

}  // namespace benchbench
