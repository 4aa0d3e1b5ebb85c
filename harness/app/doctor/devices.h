// Is there torch, is there CUDA, and if not, why? Nothing of either is loaded into this process.
#pragma once
#include <string>

#include "harness/app/doctor/checks.h"

namespace benchbench {

DoctorCheck check_torch();
// `root` stands before every path, so that tests bring a machine of their own.
DoctorCheck check_cuda(const std::string& root = "");

// /dev/nvidia0, nvidia1, ...: one a GPU.
int gpu_count(const std::string& root = "");

}  // namespace benchbench
