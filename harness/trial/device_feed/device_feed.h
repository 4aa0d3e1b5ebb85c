// Batches on their way to a device with memory of its own, and when it was at work.
#pragma once
#include <memory>
#include <vector>

#include "harness/part/device.h"
#include "harness/part/stage_meter.h"
#include "harness/pipeline/trace_recorder.h"
#include "harness/record/resolved_settings.h"
#include "harness/trial/device_feed/device_making.h"

namespace benchbench {

// What the device did, by events on its streams. Its timeline: the work of the steps (what trainers
// bill), copies that it waited for, time idle for want of data, and the rest, idle too, add up to
// the window.
struct DeviceTotals {
  std::uint64_t steps = 0;
  std::uint64_t copies = 0, bytes = 0;  // of batches
  Nanoseconds copying{0};               // all copies of batches, hidden ones too
  // Between two steps' work, a copy of the later one's batch being under way.
  Nanoseconds copy_exposed{0};
  Nanoseconds idle_for_data{0};  // likewise, the host being in get
  Nanoseconds span{0};      // from a step's first work to its last, gaps between kernels among it
  Nanoseconds gaps{0};      // between two steps, and at the window's ends, all of them
  std::uint64_t calls = 0;  // of the device's driver
  DeviceTotals& operator+=(const DeviceTotals& o) noexcept;
  friend DeviceTotals operator-(DeviceTotals a, const DeviceTotals& b) noexcept;
};

// Owns in_flight buffers of device memory. Of step k, on the trial's thread, in this order:
//
//   wait_for_buffer   until step k - in_flight is done, whose buffer it takes; billed to
//                     sync_blocked
//   upload            copies the batch of the host, on the copying stream; the compute stream waits
//                     for it
//   end_step          after Trainer::step(), which enqueued its work on stream()
//
// The host's slot goes back as soon as the copy from it is done: at once without non_blocking, and
// where a copy from pageable memory has held the host to its end, else at the next upload that
// finds it so. Events are read when their steps are known to be done: nothing here waits in the
// loop but wait_for_buffer(), held copies and what is asked for.
class DeviceFeed {
 public:
  struct Order {
    Device& device;  // with an accelerator()
    Runtime& runtime;
    StageMeter& meter;
    UploadSettings settings;
    BatchSpec spec;                // of the batches on the device
    std::uint64_t batch_size = 1;  // samples at most
    bool uploads = true;           // Trainer::wants_batches_on_device()
    // Not null: makes each batch of what the host hands over in its place. Outlives the feed.
    DeviceMaking* making = nullptr;
  };
  // Throws PartError where the device has not enough memory.
  explicit DeviceFeed(const Order& order);
  // Waits for the device. All leases are dropped by then.
  ~DeviceFeed();

  // Leases of the host's slots that copies may need at once beside the one in upload().
  static std::uint32_t holds(const UploadSettings& settings) noexcept { return settings.in_flight; }

  void wait_for_buffer(StepNumber step);
  // `got`: when the batch was there; `asked`: when the host began to wait for it. Where the trainer
  // reads no bytes: the same lease.
  BatchLease upload(BatchLease batch, StepNumber step, TimePoint asked, TimePoint got);
  void end_step(StepNumber step);
  DeviceStream& stream() noexcept { return *compute_; }

  // Until the work of all steps is done; billed to sync_blocked of the step.
  void synchronize(StepNumber step);
  // Likewise, not billed; drops what is held, and reads all events.
  void finish();
  // The device has nothing to do, and a window's segment begins or ends at `now`: totals are known
  // up to it. After finish().
  void edge(TimePoint now);
  DeviceTotals totals() const noexcept;
  // What the device does is told to them, late: as its events are read. Both outlive the feed.
  void trace(TraceTrack& compute, TraceTrack& copies) noexcept;

 private:
  struct StepEvents;
  bool copied(const StepEvents& events, Memory from) const;
  StepEvents& events_of(StepNumber step) noexcept { return *events_[step % events_.size()]; }
  void copy_billed(const BatchLease& batch, DeviceBuffer& buffer, StepNumber step);
  std::uint64_t copy(const BatchLease& batch, DeviceBuffer& buffer);
  void drop_copied();
  void read_until(StepNumber end);
  void read(const StepEvents& events);
  void read_copy(const StepEvents& events, TimePoint begin);
  TimePoint time_of(const DeviceEvent& event);

  Device& device_;
  Accelerator& on_;
  Runtime& runtime_;
  StageMeter& meter_;
  const UploadSettings settings_;
  const bool uploads_;
  DeviceMaking* const making_;
  std::unique_ptr<DeviceStream> compute_, own_copies_;
  DeviceStream* copies_;  // one of them
  std::vector<std::unique_ptr<DeviceBuffer>> buffers_;
  std::vector<std::unique_ptr<StepEvents>> events_;
  std::unique_ptr<DeviceEvent> anchor_;  // recorded at the last edge
  const DeviceEvent* latest_ = nullptr;  // the last event whose time is known, and that time
  TimePoint latest_at_{};
  TimePoint done_{};  // when the work of the last step that was read was
  TraceTrack *compute_track_ = nullptr, *copies_track_ = nullptr;
  StepNumber next_ = 0, read_ = 0;  // steps begun, and steps whose events were read
  DeviceTotals totals_;
};

}  // namespace benchbench
