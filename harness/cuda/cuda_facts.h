// What a CUDA device is.
#pragma once
#include <cstdint>
#include <string>

#include "harness/cuda/driver_table.h"

namespace benchbench::cuda {

struct CudaFacts {
  int ordinal = 0;
  std::string name;        // "cuda:0"
  std::string model;       // "NVIDIA H100 80GB HBM3"
  std::string uuid;        // "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx", without "GPU-" or "MIG-"
  std::string pci;         // "0000:65:00.0", lower case as in /sys
  int numa_node = -1;      // of the host, next to the device; -1: one node only, or not known
  int driver_version = 0;  // of the interface: 12040 is 12.4
  int capability = 0;      // 90 is 9.0
  int processors = 0;      // multiprocessors
  int copy_engines = 0;
  int clock_khz = 0;         // of the processors at most; 0: not known
  std::uint64_t memory = 0;  // bytes
};

// Asks the driver. `pci_folder`: where the kernel lists devices, /sys/bus/pci/devices. DeviceError
// where the driver refuses.
CudaFacts read_cuda_facts(const Driver& driver, DeviceId device, int ordinal,
                          const std::string& pci_folder);

}  // namespace benchbench::cuda
