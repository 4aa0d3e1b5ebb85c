// The CUDA devices of this machine, asked of a child once a run; the processes of its trials get
// the answer from it.
#pragma once
#include "harness/cuda/open/cuda_open.h"
#include "harness/plan/planner.h"
#include "harness/record/environment.h"

namespace benchbench {

// Waits for the child at the first call, 30 s at most. What it said is in the environment then, for
// this process's children.
const cuda::CudaSurvey& cuda_devices();

// For a plan. In virtual time there are none, and the driver is not asked.
CudaThere cuda_there(bool simulated);

// Driver and devices, where there are any and the driver was asked, here or in the process that
// started this one.
void add_known_devices(Environment& environment);

}  // namespace benchbench
