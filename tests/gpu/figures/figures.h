// Figures of a real device: each is compared with one that is measured in the same run.
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

// How often a figure is measured, of which the median counts, and of how many steps.
struct Effort {
  int tries = 5, steps = 200;
};
// Steps enough that the first copy, which no step hides, is under 0.3 % of all of them.
inline constexpr Effort kQuick{.tries = 3, .steps = 60};

using cuda::CudaDevice;

// One kernel of 0.2, 1, 5, 20 and 100 ms between events, and 400 of 9 and 90 ms together: their
// deviation.
std::vector<Line> spins(CudaDevice& device, const Effort& effort);
// 16 batches of 38.5 MB from a pinned slot as the feed copies them, with events round each, of bare
// copies back to back.
Line slot_to_device(CudaDevice& device, const Effort& effort);
// The share of a copy of 1 MiB from pinned memory for which its call holds the host.
Line copy_call(CudaDevice& device, Runtime& runtime);
// The time that a copy of 38.5 MB on a stream of its own adds to a step of 5 ms.
Line hidden_copy(CudaDevice& device, Runtime& runtime, const Effort& effort);
// The rate of reading and writing at which 64 rows of each of three tables are gathered, 38.5 MB,
// of that at which memory is read; 0 where a gathered row is not its own.
Line gather(CudaDevice& device, const Effort& effort);
// The time that two events each add to steps of 1 ms, beyond what is taken off their kernels.
Line event_times(CudaDevice& device, Runtime& runtime, const Effort& effort);

// Returns the trains that calibrations with both timers are made from, and the steps of the global
// timer, a line each, and the rates of both kernels that read memory.
std::vector<std::string> read_raw(CudaDevice& device);

}  // namespace benchbench::gpu_figures
