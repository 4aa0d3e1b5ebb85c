// A CUDA device behind the seam of harness/part/device.h. In a module of its own (cuda_module.h),
// which is the one to include where the module may be absent.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/cuda/cuda_facts.h"
#include "harness/cuda/kernels.h"
#include "harness/part/device.h"

namespace benchbench {

class Runtime;

namespace cuda {

// How a thread waits for the device: spin asks again and again and keeps its core, which is
// soonest; block sleeps in the driver, which costs some 10 us to wake and leaves the core to
// others.
enum class CudaWait : std::uint8_t { spin, block };

struct CudaOptions {
  CudaWait wait = CudaWait::spin;
  // Loads the kernels and calibrates the spin; without, launch() and normalize() are refused.
  bool kernels = true;
  double worst_deviation = 0.01;  // of a spin from its time, as a share
  // For tests.
  std::string driver = kDriverLibrary;
  int least_driver = kLeastDriver;
  std::string pci_folder = "/sys/bus/pci/devices";
  std::optional<KernelImage> image = {};  // absent: the one of this build
  std::vector<std::string> nvjpeg = {};   // files of nvJPEG; none: as load_nvjpeg() finds it
};

// One thread at a time makes all calls, which need not be the one that made the device; its events
// may be waited for on any thread.
class CudaDevice : public Device {
 public:
  virtual const CudaFacts& facts() const noexcept = 0;
  // What was not as it should be and does not matter to correctness: refused placement of pinned
  // memory. Each once.
  virtual const std::vector<std::string>& notes() const noexcept = 0;
  // Free and total bytes of the device's memory, of all processes. DeviceError where the driver
  // refuses.
  struct MemoryLeft {
    std::uint64_t left = 0, total = 0;
  };
  virtual MemoryLeft memory_left() const = 0;
  // An event of its accelerator that takes nothing of its stream; between() is refused of it.
  virtual std::unique_ptr<DeviceEvent> make_event_without_time() = 0;
  // nullptr where CudaOptions::kernels is off. Calls as of an Accelerator, but not counted in
  // DeviceCalls.
  virtual CudaKernels* kernels() noexcept = 0;
};

// The runtime outlives it; it must be a real one, since the device's time is. DeviceError with the
// reason where the driver, the device or the kernels are not usable.
std::unique_ptr<CudaDevice> make_cuda_device(int ordinal, const CudaOptions& options,
                                             Runtime& runtime);

// What each device is, by its ordinal; no context is made on any. DeviceError where the driver is
// not usable or has none.
std::vector<CudaFacts> survey_cuda_devices(const CudaOptions& options);

}  // namespace cuda
}  // namespace benchbench
