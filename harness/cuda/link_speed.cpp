#include "harness/cuda/link_speed.h"

#include <algorithm>
#include <cstring>
#include <memory>

#include "harness/core/error.h"

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

class Memories {
 public:
  Memories(CudaDevice& device, Memory where)
      : device_(device),
        where_(where),
        host(device.allocate(kLinkCopyBytes, where)),
        there(allocate_there()) {
    std::memset(host, 1, kLinkCopyBytes);
  }
  ~Memories() {
    device_.deallocate(there, kLinkCopyBytes, Memory::device);
    device_.deallocate(host, kLinkCopyBytes, where_);
  }
  Memories(const Memories&) = delete;
  Memories& operator=(const Memories&) = delete;

 private:
  std::byte* allocate_there() try {
    return device_.allocate(kLinkCopyBytes, Memory::device);
  } catch (...) {
    device_.deallocate(host, kLinkCopyBytes, where_);
    throw;
  }
  CudaDevice& device_;
  const Memory where_;

 public:
  std::byte* const host;
  std::byte* const there;
};

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
  double copies(const Memories& at, Memory host, DeviceCopy way) {
    return best(kCopies * kLinkCopyBytes, [&] {
      for (int i = 0; i < kCopies; ++i)
        on_.copy(*stream_, way == DeviceCopy::h2d ? at.there : at.host,
                 way == DeviceCopy::h2d ? at.host : at.there, kLinkCopyBytes, way, host);
    });
  }
  // Of a quarter of what is free, where that is less.
  double reads(CudaKernels& kernels) {
    const auto bytes = static_cast<std::size_t>(
        std::min<std::uint64_t>(kMemoryBytes, device_.memory_left().left / 4));
    std::byte* const data = device_.allocate(bytes, Memory::device);
    const auto free = [&](std::byte* p) { device_.deallocate(p, bytes, Memory::device); };
    const std::unique_ptr<std::byte, decltype(free)> owned(data, free);
    return best(kReads * bytes, [&] {
      for (int i = 0; i < kReads; ++i)
        kernels.touch(static_cast<Stream>(stream_->native()), data, bytes, data);
    });
  }
  // 0 where others took the memory meanwhile: the link is known all the same.
  double reads_or_none(CudaKernels& kernels) try {
    return reads(kernels);
  } catch (const PartError&) {
    return 0;
  }
  // NVML has the clock of a device at work only while it is.
  double clock(const NvmlProbe& probe) {
    on_.launch(*stream_, {.time = kAtWork});
    double hertz = 0;
    while (!idle()) {
      const NvmlReading reading = probe.read(false);
      if (!reading.clock_mhz.value) break;
      hertz = std::max(hertz, *reading.clock_mhz.value * 1e6);
    }
    on_.synchronize(*stream_);
    return hertz;
  }

 private:
  bool idle() {
    if (!asked_) on_.record(*to_, *stream_), asked_ = true;
    return to_->done();
  }
  CudaDevice& device_;
  Accelerator& on_;
  std::unique_ptr<DeviceStream> stream_;
  std::unique_ptr<DeviceEvent> from_, to_;
  bool asked_ = false;
};

}  // namespace

LinkSpeeds measure_link(CudaDevice& device, const NvmlProbe* probe) {
  LinkSpeeds speeds;
  Measuring measuring(device);
  {
    const Memories pinned(device, Memory::pinned);
    speeds.to_device = measuring.copies(pinned, Memory::pinned, DeviceCopy::h2d);
    speeds.from_device = measuring.copies(pinned, Memory::pinned, DeviceCopy::d2h);
    if (device.kernels()) speeds.memory = measuring.reads_or_none(*device.kernels());
  }
  const Memories pageable(device, Memory::host);
  speeds.pageable_to_device = measuring.copies(pageable, Memory::host, DeviceCopy::h2d);
  speeds.pageable_from_device = measuring.copies(pageable, Memory::host, DeviceCopy::d2h);
  if (probe && device.kernels()) speeds.clock = measuring.clock(*probe);
  return speeds;
}

}  // namespace benchbench::cuda
