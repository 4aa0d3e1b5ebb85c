#include "harness/cuda/cuda_queue.h"

#include "harness/core/error.h"
#include "harness/core/runtime.h"
#include "harness/cuda/driver_error.h"
#include "harness/cuda/nvjpeg_decoder.h"
#include "harness/cuda/owned.h"

namespace benchbench::cuda {
namespace {

Event handle_of(const DeviceEvent& event) noexcept { return static_cast<Event>(event.native()); }
Stream handle_of(const DeviceStream& stream) noexcept {
  return static_cast<Stream>(stream.native());
}

unsigned event_flags(const CudaScene& scene, bool times) noexcept {
  return (scene.wait == CudaWait::block ? kEventBlocking : 0) | (times ? 0 : kEventWithoutTime);
}

bool is_done(const CudaScene& scene, Event event) {
  const Result result = scene.driver.call.event_query(event);
  if (result == kNotReady) return false;
  check(scene.driver.call, result, "cuEventQuery");
  return true;
}

void wait_for(const CudaScene& scene, Event event) {
  if (scene.wait == CudaWait::block)
    return check(scene.driver.call, scene.driver.call.event_synchronize(event),
                 "cuEventSynchronize");
  while (!is_done(scene, event)) scene.runtime.yield();
}

[[noreturn]] void refuse_without_kernels() {
  throw DeviceError("the CUDA device was made without kernels", "CudaOptions::kernels loads them");
}

class CudaEvent final : public DeviceEvent {
 public:
  CudaEvent(const CudaScene& scene, bool has_a_time)
      : has_time(has_a_time),
        scene_(scene),
        event_(make_owned_event(scene.context, event_flags(scene, has_a_time))) {}
  void wait() override {
    scene_.context.enter();
    wait_for(scene_, event_.get());
  }
  bool done() const override {
    scene_.context.enter();
    return is_done(scene_, event_.get());
  }
  void* native() const noexcept override { return event_.get(); }
  const bool has_time;

 private:
  const CudaScene& scene_;
  const OwnedEvent event_;
};

// Its `end` is what synchronize() waits for: cuStreamSynchronize waits as the context was made to,
// which may be another library's choice.
class CudaStream final : public DeviceStream {
 public:
  explicit CudaStream(const CudaScene& scene)
      : stream_(make_owned_stream(scene.context)),
        end_(make_owned_event(scene.context, event_flags(scene, false))) {}
  void* native() const noexcept override { return stream_.get(); }
  Event end() const noexcept { return end_.get(); }
  std::uint32_t events = 0;  // with a time, behind the last kernel

 private:
  const OwnedStream stream_;
  const OwnedEvent end_;
};

}  // namespace

std::unique_ptr<DeviceStream> CudaQueue::make_stream() {
  scene_.context.enter();
  return std::make_unique<CudaStream>(scene_);
}

std::unique_ptr<DeviceEvent> CudaQueue::make_event(bool has_time) {
  scene_.context.enter();
  return std::make_unique<CudaEvent>(scene_, has_time);
}

void CudaQueue::record(DeviceEvent& event, DeviceStream& stream) {
  scene_.context.enter();
  ++calls_.records;
  check(scene_.driver.call, scene_.driver.call.event_record(handle_of(event), handle_of(stream)),
        "cuEventRecord");
  if (static_cast<CudaEvent&>(event).has_time) ++static_cast<CudaStream&>(stream).events;
}

void CudaQueue::wait(DeviceStream& stream, const DeviceEvent& event) {
  scene_.context.enter();
  ++calls_.waits;
  check(scene_.driver.call, scene_.driver.call.stream_wait(handle_of(stream), handle_of(event), 0),
        "cuStreamWaitEvent");
}

// Where the host's side lies the driver knows by its address.
void CudaQueue::copy(DeviceStream& stream, std::byte* to, const std::byte* from, std::size_t bytes,
                     DeviceCopy way, Memory) {
  scene_.context.enter();
  ++calls_.copies;
  const DriverTable& call = scene_.driver.call;
  if (way == DeviceCopy::h2d) {
    const auto device = static_cast<DevicePointer>(reinterpret_cast<std::uintptr_t>(to));
    check(call, call.copy_to_device(device, from, bytes, handle_of(stream)),
          "cuMemcpyHtoDAsync_v2");
  } else {
    const auto device = static_cast<DevicePointer>(reinterpret_cast<std::uintptr_t>(from));
    check(call, call.copy_to_host(to, device, bytes, handle_of(stream)), "cuMemcpyDtoHAsync_v2");
  }
}

CudaKernels& CudaQueue::begin_launch(DeviceStream& stream) {
  if (!kernels_) refuse_without_kernels();
  scene_.context.enter();
  ++calls_.launches;
  static_cast<CudaStream&>(stream).events = 0;
  return *kernels_;
}

void CudaQueue::launch(DeviceStream& stream, const DeviceKernel& kernel) {
  const std::uint32_t events = static_cast<CudaStream&>(stream).events;
  begin_launch(stream).busy(handle_of(stream), kernel, events);
}

void CudaQueue::normalize(DeviceStream& stream, const DeviceNormalization& job) {
  const Shape& image = job.from.spec.row;
  begin_launch(stream).normalize(handle_of(stream), {.from = job.from.data,
                                                     .to = job.to,
                                                     .images = job.from.rows,
                                                     .height = image.extent[0],
                                                     .width = image.extent[1],
                                                     .channels = image.extent[2],
                                                     .mean = job.by.mean,
                                                     .deviation = job.by.deviation});
}

void CudaQueue::gather(DeviceStream& stream, const DeviceGather& job) {
  begin_launch(stream).gather(handle_of(stream), job);
}

std::unique_ptr<DeviceDecoder> CudaQueue::make_decoder() {
  if (!kernels_) refuse_without_kernels();
  return make_nvjpeg_decoder(scene_, *this, *kernels_);
}

void CudaQueue::resize(DeviceStream& stream, const ResizeParameter& job, DType type) {
  begin_launch(stream).resize(handle_of(stream), job, type);
}

void CudaQueue::synchronize(DeviceStream& stream) {
  scene_.context.enter();
  const Event end = static_cast<CudaStream&>(stream).end();
  check(scene_.driver.call, scene_.driver.call.event_record(end, handle_of(stream)),
        "cuEventRecord");
  wait_for(scene_, end);
}

Nanoseconds CudaQueue::between(const DeviceEvent& from, const DeviceEvent& to) {
  scene_.context.enter();
  return time_between(scene_.driver.call, handle_of(from), handle_of(to));
}

}  // namespace benchbench::cuda
