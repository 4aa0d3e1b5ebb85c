// How long a tune's windows have to be.
#pragma once
#include <vector>

#include "harness/record/trial.h"

namespace benchbench {

// Workers that share a disk or a core deliver in bursts of about a batch from each, and half a
// burst looks faster or slower than all of it: a window has two batches of every worker, or what
// the scenario asks for where that is more. Trials of the trainer alone stay.
void lengthen_windows(std::vector<Trial>& trials);

}  // namespace benchbench
