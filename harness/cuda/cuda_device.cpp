#include "harness/cuda/cuda_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "harness/core/error.h"
#include "harness/core/runtime.h"
#include "harness/cuda/cuda_queue.h"
#include "harness/cuda/driver_error.h"
#include "harness/cuda/host_pages.h"

namespace benchbench::cuda {
namespace {

// Members in the order in which they are needed: each is destroyed before what it uses.
class RealCudaDevice final : public CudaDevice {
 public:
  RealCudaDevice(int ordinal, const CudaOptions& options, Runtime& runtime)
      : driver_(load_driver(options.driver, options.least_driver)),
        device_(find_device(driver_, ordinal)),
        facts_(read_cuda_facts(driver_, device_, ordinal, options.pci_folder)),
        context_(driver_.call, device_),
        kernels_(options.kernels ? load_kernels(options) : nullptr),
        queue_({driver_, facts_, context_, runtime, options.wait, options.nvjpeg}, kernels_.get()) {
    if (kernels_) note(kernels_->note());
    note_launches();
  }

  std::string_view name() const noexcept override { return facts_.name; }
  std::string_view model() const noexcept override { return facts_.model; }
  const CudaFacts& facts() const noexcept override { return facts_; }
  const std::vector<std::string>& notes() const noexcept override { return notes_; }
  Accelerator* accelerator() noexcept override { return &queue_; }
  std::unique_ptr<DeviceEvent> make_event_without_time() override {
    return queue_.make_event(false);
  }
  CudaKernels* kernels() noexcept override { return kernels_.get(); }
  DeviceTraits traits() const override {
    return {facts_.uuid, notes_, kernels_ ? std::optional(kernels_->fit().residual) : std::nullopt};
  }
  MemoryLeft memory_left() const override;
  std::byte* allocate(std::size_t bytes, Memory where) override;
  void deallocate(std::byte* data, std::size_t bytes, Memory where) noexcept override;

 private:
  std::unique_ptr<CudaKernels> load_kernels(const CudaOptions& options) const {
    return std::make_unique<CudaKernels>(driver_, facts_, context_,
                                         options.image.value_or(built_in_kernels()),
                                         options.worst_deviation);
  }
  std::byte* allocate_on_device(std::size_t bytes);
  std::byte* allocate_host(std::size_t bytes);
  void pin(std::byte* data, std::size_t bytes);
  void note(std::string text);
  void note_launches();

  const Driver driver_;
  const DeviceId device_;
  const CudaFacts facts_;
  const PrimaryContext context_;
  std::vector<std::string> notes_;
  const std::unique_ptr<CudaKernels> kernels_;
  CudaQueue queue_;
};

void RealCudaDevice::note(std::string text) {
  if (!text.empty() && std::ranges::find(notes_, text) == notes_.end())
    notes_.push_back(std::move(text));
}

void RealCudaDevice::note_launches() {
  const char* const set = std::getenv("CUDA_LAUNCH_BLOCKING");
  if (set && *set && std::strcmp(set, "0") != 0)
    note(
        fmt::format("CUDA_LAUNCH_BLOCKING={} makes each launch wait for its kernel: "
                    "the host cannot run ahead",
                    set));
}

CudaDevice::MemoryLeft RealCudaDevice::memory_left() const {
  context_.enter();
  std::size_t left = 0, total = 0;
  check(driver_.call, driver_.call.memory_left(&left, &total), "cuMemGetInfo_v2");
  return {left, total};
}

// The driver refuses 0 bytes.
std::byte* RealCudaDevice::allocate_on_device(std::size_t bytes) {
  context_.enter();
  DevicePointer data = 0;
  const Result result = driver_.call.memory_allocate(&data, std::max<std::size_t>(bytes, 1));
  if (result == kOutOfMemory) {
    const MemoryLeft memory = memory_left();
    throw PartError(fmt::format("cannot allocate {} on {} ({}): {} of {} are free",
                                human_bytes(static_cast<double>(bytes)), facts_.name, facts_.model,
                                human_bytes(static_cast<double>(memory.left)),
                                human_bytes(static_cast<double>(memory.total))),
                    "reduce loader.batch_size or the number of batches on the device; nvidia-smi "
                    "shows which other processes use it");
  }
  check(driver_.call, result, "cuMemAlloc_v2");
  return reinterpret_cast<std::byte*>(static_cast<std::uintptr_t>(data));
}

// Placed before it is touched, touched before it is pinned: the driver would fault the pages in one
// by one.
std::byte* RealCudaDevice::allocate_host(std::size_t bytes) {
  std::byte* const data = map_pages(bytes);
  const bool placed = facts_.numa_node >= 0;
  const std::string refused = placed ? prefer_node(data, bytes, facts_.numa_node) : "";
  note(refused);
  touch_pages(data, bytes);
  if (placed && refused.empty()) note(node_complaint(data, bytes, facts_.numa_node));
  return data;
}

void RealCudaDevice::pin(std::byte* data, std::size_t bytes) {
  const Result result = driver_.call.host_register(data, whole_pages(bytes), kRegisterPortable);
  if (result == kOutOfMemory)
    throw PartError(
        fmt::format("cannot pin {} of host memory: {}", human_bytes(static_cast<double>(bytes)),
                    error_text(driver_.call, result)),
        "reduce loader.batch_size, prefetch_factor or num_workers, or use pin_memory: false; look "
        "at the memory that is free, and in a container or under WSL at their limits");
  check(driver_.call, result, "cuMemHostRegister_v2");
  keep_from_forks(data, bytes);
}

std::byte* RealCudaDevice::allocate(std::size_t bytes, Memory where) {
  if (where == Memory::device) return allocate_on_device(bytes);
  std::byte* const data = allocate_host(bytes);
  if (where == Memory::host) return data;
  try {
    context_.enter();
    pin(data, bytes);
  } catch (...) {
    unmap_pages(data, bytes);
    throw;
  }
  return data;
}

// After a broken context the driver refuses to take anything back: the pages go all the same.
void RealCudaDevice::deallocate(std::byte* data, std::size_t bytes, Memory where) noexcept {
  if (!data) return;
  context_.try_to_enter();
  if (where == Memory::device) {
    (void)driver_.call.memory_free(
        static_cast<DevicePointer>(reinterpret_cast<std::uintptr_t>(data)));
    return;
  }
  if (where == Memory::pinned) (void)driver_.call.host_unregister(data);
  unmap_pages(data, bytes);
}

}  // namespace

std::unique_ptr<CudaDevice> make_cuda_device(int ordinal, const CudaOptions& options,
                                             Runtime& runtime) {
  if (runtime.simulated())
    throw DeviceError("a CUDA device has no virtual time",
                      "use an emulated device in virtual time, or the real clock");
  return std::make_unique<RealCudaDevice>(ordinal, options, runtime);
}

std::vector<CudaFacts> survey_cuda_devices(const CudaOptions& options) {
  const Driver driver = load_driver(options.driver, options.least_driver);
  std::vector<CudaFacts> all;
  for (int i = 0; i < std::max(1, device_count(driver)); ++i)
    all.push_back(read_cuda_facts(driver, find_device(driver, i), i, options.pci_folder));
  return all;
}

}  // namespace benchbench::cuda
