// The kernels of harness/cuda/kernels on one device.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "harness/cuda/cuda_facts.h"
#include "harness/cuda/kernels/parameters.h"
#include "harness/cuda/owned.h"
#include "harness/cuda/spin_fit.h"
#include "harness/part/accelerator.h"

namespace benchbench::cuda {

// What nvcc made of the kernels, and its version, 13000 is 13.0; empty, 0 and nullptr in a build
// without nvcc.
struct KernelImage {
  std::span<const unsigned char> bytes;  // a fatbin: machine code
  int toolkit = 0;
  // PTX of CUDA 11.0, ends with 0: for drivers that are older than the toolkit, and devices that
  // the machine code is not of.
  const char* ptx = nullptr;
};
KernelImage built_in_kernels() noexcept;

// Of uint8 images [N, H, W, C] on the device: (value / 255 - mean) / deviation for each channel.
struct Normalization {
  const std::byte* from = nullptr;
  std::byte* to = nullptr;  // device memory too, of the elements of `from`
  std::int64_t images = 0, height = 0, width = 0, channels = 0;  // 1 to 4 channels
  std::array<float, kMaxChannels> mean{}, deviation{1, 1, 1, 1};
  DType type = DType::float32;  // or float16
  bool channels_first = true;   // [N, C, H, W], else [N, H, W, C]
};

// Sets what makes value * scale[c] + shift[c] a normalised value.
template <std::size_t channels, class Values>
void set_scale(const Values& mean, const Values& deviation, float (&scale)[channels],
               float (&shift)[channels]) noexcept {
  for (std::size_t c = 0; c < channels; ++c) {
    scale[c] = 1.0f / (255.0f * deviation[c]);
    shift[c] = -mean[c] / deviation[c];
  }
}

// Loaded, each launched once and the spin calibrated at construction: the driver loads a kernel at
// its first launch, which would otherwise lie in a window. Its context is the calling thread's in
// all calls. Not for several threads at once.
class CudaKernels {
 public:
  // All outlive it but the image. DeviceError where the driver refuses the image (with its reason),
  // and where a spin deviates from its time by more than `worst`, a share, with either timer.
  CudaKernels(const Driver& driver, const CudaFacts& facts, const PrimaryContext& context,
              const KernelImage& image, double worst);
  // Busy for its time with the launch and with what `events` events with times take, those on the
  // stream behind the kernel before; longer where reading takes longer.
  void busy(Stream stream, const DeviceKernel& kernel, std::uint32_t events);
  // Adds all bytes to the 4-byte word `sum` of the device, modulo 2^32.
  void touch(Stream stream, const std::byte* data, std::size_t bytes, std::byte* sum);
  // In one launch. At most kMaxTensors tables.
  void gather(Stream stream, const DeviceGather& job);
  // PartError where there is no kernel for it.
  void normalize(Stream stream, const Normalization& job);
  // In one launch: rows of uint8 or of float32. Images and rows are in the device's memory.
  void resize(Stream stream, const ResizeParameter& job, DType type);
  // Launches what resize() does once, of no images: else its first launch would load it.
  void load_resize(Stream stream);
  const SpinFit& fit() const noexcept { return fit_; }
  // Returns the trains that a calibration with that timer is made from, each several times, one
  // after the other.
  std::vector<SpinTrain> time_trains(unsigned timer) const;
  // The nanoseconds between changes of the global timer, so many of them.
  std::vector<std::uint64_t> time_timer(std::uint32_t changes) const;
  unsigned timer() const noexcept { return timer_; }
  // Why it is not the global timer, "" where it is.
  const std::string& note() const noexcept { return note_; }

 private:
  void load(const KernelImage& image);
  std::string hint_for(int toolkit) const;  // where they do not load
  Result try_to_load(const void* image, std::span<char> said);
  Function find(const char* name) const;
  void launch_with(Function function, Stream stream, std::uint64_t threads,
                   void** parameters) const;
  template <class... Parameter>
  void launch(Function function, Stream stream, std::uint64_t threads,
              Parameter&... parameters) const {
    void* places[] = {&parameters...};
    launch_with(function, stream, threads, places);
  }
  void launch_each_once();
  void spin(Stream stream, std::uint64_t amount, unsigned timer) const;
  void touch_at(Stream stream, std::uint64_t data, std::uint64_t bytes, std::uint64_t sum) const;
  Nanoseconds timed_train(Stream stream, Event from, Event to, const SpinTrain& train,
                          unsigned timer) const;
  void wake() const;
  void calibrate(double worst);

  const Driver& driver_;
  const CudaFacts& facts_;
  const PrimaryContext& context_;
  OwnedModule module_;
  OwnedMemory sum_;  // what `busy` adds to; nobody reads it
  Function spin_ = nullptr, touch_ = nullptr, busy_ = nullptr, gather_ = nullptr;
  std::array<Function, 4> normalize_{};  // float32 first, float32 last, float16 first, float16 last
  std::array<Function, 2> resize_{};     // uint8, float32; null until load_resize()
  SpinFit fit_;
  unsigned timer_ = kGlobalTimer;
  std::string note_;
};

}  // namespace benchbench::cuda
