// The look at whether the torch of the user's interpreter finds a CUDA device.
#pragma once
#include "harness/part/external.h"

namespace benchbench::python_part {

// Serves ExternalMaker::cuda. Answers are kept in the file python_cuda.json of the order's folder,
// by the interpreter's path: until it or its torch has changed, it is not started again. A torch
// that is built for CUDA and finds no device is asked each time, since a driver may be mended.
ExternalCuda look_for_cuda(const ExternalCudaOrder& order);

}  // namespace benchbench::python_part
