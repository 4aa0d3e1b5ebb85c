// The step as the trainer's thread saw it: what was metered, and what is left.
#pragma once
#include <string_view>
#include <utility>
#include <vector>

#include "harness/record/trial_record.h"

namespace benchbench {

// Adds up to the window: Σ parts + other = window_ns. Only what was measured is listed; `other` may be
// negative, which means that something was billed twice.
struct HostTimeline {
  std::vector<std::pair<std::string_view, double>> parts;  // ns over the window, in the order they happen
  double other_ns = 0;
  double residual_share = 0;  // other / window
};

inline const StageTotal& total_of(const Facts& facts, Stage s) { return facts.window.stages[static_cast<std::size_t>(s)]; }

// Where steps are enqueued for a device, forward, backward and copies lie on the device's timeline and are
// left out here. A trainer that meters no stage of its own is one part, "trainer".
HostTimeline host_timeline(const Facts& facts);

}  // namespace benchbench
