// Steps far beyond the usual, each as an event.
#pragma once
#include <cstdint>
#include <vector>

#include "harness/core/words.h"

#include "harness/series/step_series.h"

namespace benchbench {

// The term of a step that is furthest beyond its own median.
enum class StallCause : std::uint8_t { get_blocked, step, postprocess, checkpoint, core_wait };
template <>
inline constexpr auto kWordsOf<StallCause> = std::to_array<std::string_view>(
    {"get_blocked", "step", "postprocess", "checkpoint", "core_wait"});

struct Stall {
  std::int64_t at_ns = 0;  // from the window's begin
  std::int64_t ns = 0;     // beyond the usual step
  std::uint64_t step = 0;  // of the window
  StallCause cause = StallCause::step;
};

// Steps far beyond the usual. With a period where they come at one.
struct StallFacts {
  std::uint64_t count = 0;
  std::int64_t total_ns = 0;   // beyond the usual step
  double period_steps = 0;     // 0: no period
  std::vector<Stall> longest;  // at most 32, in the order they came
};

// A step, its get and what followed it counted in, is a stall where it took more than three times
// the median and more than the median and ten times the median distance from it. Its cause is the
// term that is furthest beyond its own median: "get_blocked", "step", "postprocess" (what follows a
// step but for checkpoints), "checkpoint" or "core_wait". `ns` is what it took beyond the median
// step, `at_ns` where its get began. The period is that of all stalls, else that of one cause's.
// The first and the last step of the window are no stalls: the pipeline is filled and emptied
// there.
StallFacts stalls_of(const StepSeries& series);

// A step's get with its wait for a core, the step itself and what followed it.
std::vector<std::int64_t> whole_steps(const StepSeries& series);

}  // namespace benchbench
