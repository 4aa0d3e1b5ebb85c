#include "harness/cuda/link_speed.h"

#include <algorithm>
#include <cstring>
#include <memory>

#include "harness/core/error.h"
#include "harness/core/runtime.h"
#include "harness/part/device_memory.h"

namespace benchbench::cuda {
namespace {

constexpr int kCopies = 4;  // of a try, back to back
constexpr int kLinkTries = 3;
// This is several times what a device's cache holds.
constexpr std::size_t kMemoryBytes = std::size_t{512} << 20;
constexpr int kReads = 2;
// Keeps the stream busy until what is timed is queued behind it.
constexpr Nanoseconds kQueueing = std::chrono::milliseconds{1};
constexpr Nanoseconds kAtWork = std::chrono::milliseconds{200};
// A look at the clock takes some ms: reads for this long are queued meanwhile, as far as the most.
constexpr Nanoseconds kReadsOfLook = std::chrono::milliseconds{20};
constexpr int kLeastReadsOfLook = 32, kMostReadsOfLook = 4096;
constexpr unsigned kLeastLooks = 2;

// Both ends of a copy.
struct Memories {
  Memories(CudaDevice& device, Memory where)
      : host(device, kLinkCopyBytes, where), there(device, kLinkCopyBytes, Memory::device) {
    std::memset(host.data(), 1, kLinkCopyBytes);
  }
  const DeviceMemory host, there;
};

// Returns 0 where others took the memory meanwhile: the link is known all the same.
template <class Measure>
double measure_or_none(Measure measure) try {
  return measure();
} catch (const PartError&) {
  return 0;
}

class Measuring {
 public:
  explicit Measuring(CudaDevice& device)
      : device_(device),
        on_(*device.accelerator()),
        stream_(on_.make_stream()),
        from_(on_.make_event()),
        to_(on_.make_event()) {}

  // Bytes per second of `work`, which moves `bytes`.
  template <class Work>
  double best(std::size_t bytes, Work work) {
    work();  // the first touches what the driver sets up late
    double best = 0;
    for (int i = 0; i < kLinkTries; ++i) {
      if (device_.kernels()) on_.launch(*stream_, {.time = kQueueing});
      on_.record(*from_, *stream_);
      work();
      on_.record(*to_, *stream_);
      on_.synchronize(*stream_);
      best = std::max(best, static_cast<double>(bytes) /
                                to_seconds(std::max(Nanoseconds{1}, on_.between(*from_, *to_))));
    }
    return best;
  }
  double copies(const Memories& at, DeviceCopy way) {
    const DeviceMemory& to = way == DeviceCopy::h2d ? at.there : at.host;
    const DeviceMemory& from = way == DeviceCopy::h2d ? at.host : at.there;
    return best(kCopies * kLinkCopyBytes, [&] {
      for (int i = 0; i < kCopies; ++i)
        on_.copy(*stream_, to.data(), from.data(), kLinkCopyBytes, way, at.host.where());
    });
  }
  double reads(CudaKernels& kernels) {
    const DeviceMemory range = hold_range(kMemoryBytes);
    return best(kReads * range.bytes(), [&] { touch(kernels, range, kReads); });
  }
  // NVML has the clock of a device at work only while it is, and one thread that spins is no work:
  // all processors read memory, with one look's worth queued ahead.
  double clock(const NvmlProbe& probe, CudaKernels& kernels, Runtime& runtime) {
    const DeviceMemory range = hold_range(kLinkCopyBytes);
    const int reads = count_reads(kernels, range, runtime);
    DeviceEvent* const ends[] = {from_.get(), to_.get()};
    const TimePoint until = runtime.now() + kAtWork;
    double hertz = 0;
    for (unsigned look = 0; look < kLeastLooks || runtime.now() < until; ++look) {
      touch(kernels, range, reads);
      on_.record(*ends[look % 2], *stream_);
      if (look > 0) ends[(look + 1) % 2]->wait();
      hertz = std::max(hertz, 1e6 * probe.read(false).clock_mhz.value.value_or(0));
    }
    on_.synchronize(*stream_);
    return hertz;
  }

 private:
  // Holds a quarter of what is free, where that is less.
  DeviceMemory hold_range(std::size_t most) {
    const std::uint64_t bytes = std::min<std::uint64_t>(most, device_.memory_left().left / 4);
    return {device_, static_cast<std::size_t>(bytes), Memory::device};
  }
  // Returns how many reads take about kReadsOfLook, by the host's clock.
  int count_reads(CudaKernels& kernels, const DeviceMemory& range, const Runtime& runtime) {
    const TimePoint begin = runtime.now();
    touch(kernels, range, kLeastReadsOfLook);
    on_.synchronize(*stream_);
    const Nanoseconds took = std::max(Nanoseconds{1}, runtime.now() - begin);
    return static_cast<int>(std::clamp<std::int64_t>(kLeastReadsOfLook * (kReadsOfLook / took),
                                                     kLeastReadsOfLook, kMostReadsOfLook));
  }
  void touch(CudaKernels& kernels, const DeviceMemory& range, int times) {
    for (int i = 0; i < times; ++i)
      kernels.touch(static_cast<Stream>(stream_->native()), range.data(), range.bytes(),
                    range.data());
  }
  CudaDevice& device_;
  Accelerator& on_;
  std::unique_ptr<DeviceStream> stream_;
  std::unique_ptr<DeviceEvent> from_, to_;
};

}  // namespace

LinkSpeeds measure_link(CudaDevice& device, const NvmlProbe* probe, Runtime& runtime) {
  LinkSpeeds speeds;
  Measuring measuring(device);
  {
    const Memories pinned(device, Memory::pinned);
    speeds.to_device = measuring.copies(pinned, DeviceCopy::h2d);
    speeds.from_device = measuring.copies(pinned, DeviceCopy::d2h);
    if (device.kernels())
      speeds.memory = measure_or_none([&] { return measuring.reads(*device.kernels()); });
  }
  const Memories pageable(device, Memory::host);
  speeds.pageable_to_device = measuring.copies(pageable, DeviceCopy::h2d);
  speeds.pageable_from_device = measuring.copies(pageable, DeviceCopy::d2h);
  if (probe && speeds.memory > 0)
    speeds.clock =
        measure_or_none([&] { return measuring.clock(*probe, *device.kernels(), runtime); });
  return speeds;
}

}  // namespace benchbench::cuda
