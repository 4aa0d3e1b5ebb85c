// Figures of a real device: each is compared with one that is measured beside it.
#pragma once
#include <string>
#include <vector>

#include "harness/cuda/cuda_device.h"

namespace benchbench::gpu_figures {

// One line of the result.
struct Line {
  std::string what;
  double value = 0, limit = 0;
  bool at_least = false;  // the value must not be below the limit; else not above it
  std::string figures;    // what the value is made of
  bool passed() const noexcept { return at_least ? value >= limit : value <= limit; }
};

using cuda::CudaDevice;

// A kernel of 0.2, 1, 5, 20 and 100 ms between events: its deviation.
std::vector<Line> spins(CudaDevice& device);
// 16 batches of 38.5 MB from a pinned slot as the feed copies them, with events round each, of bare
// copies back to back.
Line slot_to_device(CudaDevice& device);
// What one copy call of 1 MiB takes the host from pinned memory, of one from pageable memory.
Line copy_call(CudaDevice& device, Runtime& runtime);
// What a copy of 38.5 MB on a stream of its own adds to a step of 5 ms.
Line hidden_copy(CudaDevice& device, Runtime& runtime);
// What times of events add to steps of 1 ms.
Line event_times(CudaDevice& with, CudaDevice& without, Runtime& runtime);

}  // namespace benchbench::gpu_figures
