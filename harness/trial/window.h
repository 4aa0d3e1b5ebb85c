// The measured window of a trial.
#pragma once
#include <optional>

#include "harness/record/measure_limits.h"
#include "harness/trial/data_cache.h"
#include "harness/trial/readings/thread_clocks.h"
#include "harness/trial/readings/window_sum.h"

namespace benchbench {

// All that was read off at its ends.
struct WindowResult {
  WindowSum sum;
  LoopTotals loop;
  std::uint64_t burst = 1;  // batches that arrive together: its steps are whole bursts of them
  // Its steps are a multiple of these, after which bursts, and what the trainer's thread does once
  // in a number of steps, repeat together.
  Repeat repeat;
  double slope_share = 0;  // of the steps, across the window
  std::vector<WorkerTimes> each_worker;
  std::optional<double> clock_slew_ppm;  // nullopt in virtual time too
  std::optional<std::uint64_t> peak_memory_bytes;
  // nullopt where loader and trainer are both in this process
  std::optional<SeenElsewhere> elsewhere;
  bool loader_cpu_known = false;   // of sum.loader_cpu
  bool has_background = false;     // a loader ran beside the trainer: sum.background_samples
  bool checkpoint_failed = false;  // the steps after that one are without any
  std::optional<double> loss;      // the last, asked of the trainer after the window
};

// The window begins past the steps that the first fill of the queue feeds and the mean time of a
// burst, as a batch arrives, and ends after the first whole burst (measure_limits.h) at which its
// time, its batches and two bursts are reached, and whole periods of what comes once in a number of
// steps (steps_to_repeat), or its time for them is over (room_for_periods). A window made of
// segments, of cold data or of the epochs of a loader in a process of its own, is of whole bursts
// alone: there are steps between its segments. The trainer finishes what it has in flight at both
// ends, so the samples in it are exactly those whose work is done in it. That finish empties the
// pipeline, which is why the first and the last step are left out of the distributions; the rate is
// all samples over all time. A window may be made of segments (cold data: an eviction between two
// of them); all that is read off at its ends is added up over them. Throws what a step throws.
WindowResult measure_window(const TrialContext& context, TrialParts& parts, WatchedSteps& steps,
                            DataCache& cache);

}  // namespace benchbench
