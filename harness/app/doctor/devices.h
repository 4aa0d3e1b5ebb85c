// Is there torch, is there CUDA, and if not, why? Nothing of either is loaded into this process.
#pragma once
#include <string>

#include "harness/app/doctor/checks.h"
#include "harness/cuda/open/cuda_open.h"

namespace benchbench {

DoctorCheck check_torch();
// What the driver says; where it finds no device, files of the machine say more: a GPU without a
// driver, a container without a GPU. `root` stands before every path, so that tests bring a machine
// of their own.
DoctorCheck check_cuda(const cuda::CudaSurvey& survey, const std::string& root = "");

}  // namespace benchbench
