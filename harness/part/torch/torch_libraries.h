// Loads torch's shared libraries. They stay loaded, as modules do.
#pragma once
#include <string>
#include <string_view>

#include "harness/part/torch/torch_folder.h"

namespace benchbench {

// Loads libc10.so and libtorch_cpu.so, each by its path: what is loaded after them and asks for one
// of these names gets it, whatever path it holds itself. DeviceError with the loader's words.
void load_torch(const TorchFolder& torch);

// The same, and libc10_cuda.so and libtorch_cuda.so, whose own needs the loader finds where torch's
// packages put them. DeviceError with the package that brings what is missing. It comes before the
// first step of a process: torch looks for CUDA once.
void load_torch_cuda(const TorchFolder& torch);

// Returns the loader's words, and where they name a missing library of CUDA, the package of PyPI
// that brings it.
std::string explain_missing_library(std::string_view words);

}  // namespace benchbench
