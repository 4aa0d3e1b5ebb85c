// An accelerator that is not there: its work takes the time of its figures. Streams do their work
// in order, so when each piece begins and ends is known as it is enqueued: a stream is the time at
// which it runs dry, an event a time.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "harness/core/error.h"
#include "harness/core/host_pages.h"
#include "harness/device/copy_thread.h"
#include "harness/part/device.h"

namespace benchbench {
namespace {

constexpr TimePoint kLongAgo = TimePoint::min();

// The calling thread's time: its calls follow one another on absolute times, so that neither what
// this program does between two of them, some microseconds, nor what a wait ended too late by is
// added to the figures. What is more than that is the caller's own.
class HostTime {
 public:
  explicit HostTime(Runtime& runtime) noexcept
      : runtime_(runtime), hidden_(runtime.simulated() ? Nanoseconds{0} : Nanoseconds{2000}) {}

  TimePoint now() noexcept {
    const TimePoint now = runtime_.now();
    if (now - at_ > hidden_ + late_) at_ = now, late_ = {};
    return at_;
  }
  // A call that takes the thread so long.
  TimePoint call(Nanoseconds time) {
    spend_until(now() + time, Spend::spin);
    return at_;
  }
  void wait_until(TimePoint time) {
    if (time > now()) spend_until(time, Spend::hybrid);
  }

 private:
  void spend_until(TimePoint time, Spend how) {
    runtime_.spend_until(time, how);
    at_ = time;
    late_ = std::clamp(runtime_.now() - time, Nanoseconds{0}, kMostLate);
  }

  // As much as the other mocks make good: a slice of the scheduler.
  static constexpr Nanoseconds kMostLate = std::chrono::milliseconds{5};
  Runtime& runtime_;
  const Nanoseconds hidden_;
  TimePoint at_{};
  Nanoseconds late_{0};  // what the last wait ended after `at_` by
};

struct EmulatedStream final : DeviceStream {
  void* native() const noexcept override { return nullptr; }
  TimePoint dry = kLongAgo;  // when the last work on it ends
  std::uint64_t moved = 0;   // the last copy of bytes that it waits for
};

class EmulatedEvent final : public DeviceEvent {
 public:
  EmulatedEvent(Runtime& runtime, HostTime& host, CopyThread& copies) noexcept
      : runtime_(runtime), host_(host), copies_(copies) {}
  void wait() override {
    if (at != kLongAgo) host_.wait_until(at);
    copies_.wait(moved);
  }
  bool done() const override { return runtime_.now() >= at && copies_.done(moved); }
  TimePoint at = kLongAgo;
  std::uint64_t moved = 0;

 private:
  Runtime& runtime_;
  HostTime& host_;
  CopyThread& copies_;
};

EmulatedStream& own(DeviceStream& stream) noexcept { return static_cast<EmulatedStream&>(stream); }
const EmulatedEvent& own(const DeviceEvent& event) noexcept {
  return static_cast<const EmulatedEvent&>(event);
}

class EmulatedAccelerator final : public Accelerator {
 public:
  EmulatedAccelerator(const EmulatedFigures& figures, Runtime& runtime)
      : figures_(figures),
        runtime_(runtime),
        host_(runtime),
        copies_(runtime),
        queue_(std::max<std::uint32_t>(1, figures.queue), kLongAgo) {}

  int ordinal() const noexcept override { return 0; }
  std::unique_ptr<DeviceStream> make_stream() override {
    return std::make_unique<EmulatedStream>();
  }
  std::unique_ptr<DeviceEvent> make_event() override {
    return std::make_unique<EmulatedEvent>(runtime_, host_, copies_);
  }

  void record(DeviceEvent& event, DeviceStream& stream) override {
    auto& recorded = static_cast<EmulatedEvent&>(event);
    recorded.at = std::max(host_.now(), own(stream).dry);
    recorded.moved = own(stream).moved;
    ++calls_.records;
  }
  void wait(DeviceStream& stream, const DeviceEvent& event) override {
    own(stream).dry = std::max(own(stream).dry, own(event).at);
    own(stream).moved = std::max(own(stream).moved, own(event).moved);
    ++calls_.waits;
  }

  void copy(DeviceStream& stream, std::byte* to, const std::byte* from, std::size_t bytes,
            DeviceCopy way, Memory host) override {
    ++calls_.copies;
    EmulatedStream& on = own(stream);
    if (way == DeviceCopy::d2h) synchronize(stream);  // all of them are read at once
    const bool held = host != Memory::pinned || way == DeviceCopy::d2h;
    const TimePoint called = host_.call(figures_.copy_call);
    on.dry = std::max(called, on.dry) +
             time_of(bytes, host == Memory::pinned ? figures_.pinned : figures_.pageable);
    if (figures_.moves) on.moved = copies_.add({to, from, bytes});
    if (held) synchronize(stream);
  }

  void launch(DeviceStream& stream, const DeviceKernel& kernel) override {
    std::size_t bytes = 0;
    for (const TensorView& view : kernel.reads) bytes += view.bytes();
    launch(own(stream), std::max(kernel.time, time_of(bytes, figures_.memory_rate)));
  }
  // A byte read and four written for each value. The values themselves are not computed: mock steps
  // do not read them.
  void normalize(DeviceStream& stream, const DeviceNormalization& job) override {
    launch(own(stream), time_of(5 * job.from.bytes(), figures_.memory_rate));
  }
  // Each byte read and written, and each id read.
  void gather(DeviceStream& stream, const DeviceGather& job) override {
    std::size_t row = 0;
    for (const TensorView& table : job.from) row += table.spec.bytes_per_row();
    launch(own(stream), time_of((2 * row + sizeof(SampleId)) * job.rows, figures_.memory_rate));
    for (std::size_t t = 0; t < job.from.size() && figures_.moves; ++t) {
      const std::size_t bytes = job.from[t].spec.bytes_per_row();
      own(stream).moved =
          copies_.add({job.to[t], job.from[t].data, bytes * job.rows, job.ids, bytes});
    }
  }

  void synchronize(DeviceStream& stream) override {
    if (own(stream).dry != kLongAgo) host_.wait_until(own(stream).dry);
    copies_.wait(own(stream).moved);
  }
  Nanoseconds between(const DeviceEvent& from, const DeviceEvent& to) override {
    return own(to).at - own(from).at;
  }
  DeviceCalls calls() const noexcept override { return calls_; }

 private:
  void launch(EmulatedStream& stream, Nanoseconds time) {
    // As many launches ago as the queue is long.
    TimePoint& before = queue_[calls_.launches++ % queue_.size()];
    if (before != kLongAgo) host_.wait_until(before);
    const TimePoint called = host_.call(figures_.launch_call);
    stream.dry = before = std::max(called, stream.dry) + time;
  }
  static Nanoseconds time_of(std::size_t bytes, double rate) noexcept {
    return from_seconds(static_cast<double>(bytes) / rate);
  }

  const EmulatedFigures figures_;
  Runtime& runtime_;
  HostTime host_;
  CopyThread copies_;
  std::vector<TimePoint> queue_;  // of the latest launches: when each ends
  DeviceCalls calls_;
};

class EmulatedDevice final : public Device {
 public:
  EmulatedDevice(const EmulatedFigures& figures, Runtime& runtime, bool touch)
      : figures_(figures), touch_(touch), accelerator_(figures, runtime) {}

  std::string_view name() const noexcept override { return "emulated"; }
  std::string_view model() const noexcept override { return "emulated accelerator"; }
  Accelerator* accelerator() noexcept override { return &accelerator_; }

  // Its own memory is the host's too; where no bytes are moved there is none behind its addresses.
  std::byte* allocate(std::size_t bytes, Memory where) override {
    if (where != Memory::device) return map_pages(bytes, touch_);
    if (bytes > figures_.memory - used_)
      throw PartError(
          fmt::format("out of device memory: {} bytes more, {} of {} free", bytes,
                      figures_.memory - used_, figures_.memory),
          "reduce loader.batch_size or trainer.in_flight, or raise trainer.emulated.memory");
    std::byte* const data = map_pages(mapped(bytes), touch_);
    used_ += bytes;
    return data;
  }
  void deallocate(std::byte* data, std::size_t bytes, Memory where) noexcept override {
    if (data && where == Memory::device) used_ -= bytes;
    unmap_pages(data, where == Memory::device ? mapped(bytes) : bytes);
  }

 private:
  std::size_t mapped(std::size_t bytes) const noexcept { return figures_.moves ? bytes : 0; }

  const EmulatedFigures figures_;
  const bool touch_;
  std::uint64_t used_ = 0;  // of the device's memory
  EmulatedAccelerator accelerator_;
};

}  // namespace

std::unique_ptr<Device> make_emulated_device(const EmulatedFigures& figures, Runtime& runtime,
                                             bool touch) {
  return std::make_unique<EmulatedDevice>(figures, runtime, touch);
}

}  // namespace benchbench
