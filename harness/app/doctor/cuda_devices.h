// The CUDA devices of this machine, asked of a child once a process.
#pragma once
#include "harness/cuda/open/cuda_open.h"
#include "harness/plan/planner.h"
#include "harness/record/environment.h"

namespace benchbench {

// Waits for the child at the first call, 30 s at most.
const cuda::CudaSurvey& cuda_devices();

// For a plan. In virtual time there are none, and nobody is asked.
CudaThere cuda_there(bool simulated);

// Driver and devices, where there are any.
void add_devices(Environment& environment);

}  // namespace benchbench
