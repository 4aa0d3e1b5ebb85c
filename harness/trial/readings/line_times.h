// What the last batches of a window took: of their worker, and of the trainer's thread.
#pragma once
#include "harness/record/trial_record.h"
#include "harness/series/step_series.h"

namespace benchbench {

// WorkersFacts::made_ns and used_ns, of the window's last kMadeTimes steps; nothing where no
// worker's time of a batch is known.
void note_line_times(const StepSeries& series, WorkersFacts& workers);

}  // namespace benchbench
