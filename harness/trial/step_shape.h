// How the steps of a window are distributed: what the threaded and the external executor make of
// their series.
#pragma once
#include "harness/record/trial_record.h"
#include "harness/series/step_series.h"

namespace benchbench {

// Distributions, steadiness, stalls and bins. The first and the last step, of batches that arrive
// in bursts (`window.burst`) the first and the last burst, touch the window's ends, where what is
// in flight is finished, and are left out of the distributions. `limit`: the slope that counts as
// steady.
void note_shape_of(const StepSeries& series, double limit, WindowFacts& window);

// A gap between epochs, in which `batches` were waited for, without what these would have been
// waited for as any other: the mean of the window's `waits` for each.
std::int64_t gap_beyond_waits(std::int64_t gap_ns, std::uint32_t batches,
                              const StageTotal& waits) noexcept;

// WorkersFacts::made_ns and used_ns, of the window's last kMadeTimes steps; nothing where no
// worker's time of a batch is known.
void note_line_times(const StepSeries& series, WorkersFacts& workers);

}  // namespace benchbench
