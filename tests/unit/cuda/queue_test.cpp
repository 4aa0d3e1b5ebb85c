// Streams, events and copies: order, times, and who waits. Times are those of the device's own
// clock, which the stub keeps to the ns; where the host is to be in time, too, it is virtual.
#include <algorithm>

#include "tests/unit/cuda/scene.h"

namespace benchbench::test::cuda {
namespace queue_test {

using namespace std::chrono_literals;

void fill(std::byte* data, std::size_t bytes, unsigned seed) {
  for (std::size_t i = 0; i < bytes; ++i)
    data[i] = static_cast<std::byte>((i * 2654435761u + seed) >> 13);
}

// Of CUDA's times, which are float32 milliseconds.
bool is_about(Nanoseconds time, Nanoseconds wanted) {
  return std::chrono::abs(time - wanted) <= 1us;
}

struct WaitsFor final : Job {
  explicit WaitsFor(DeviceEvent& what) : event(what) {}
  void run() override {
    event.wait();
    done = event.done();
  }
  DeviceEvent& event;
  bool done = false;
};

TEST_CASE("cuda copies: bytes come back as they went, of pinned and of pageable memory",
          "[unit][cuda]") {
  for (const CudaWait wait : {CudaWait::spin, CudaWait::block}) {
    CudaOptions options = stub_options();
    options.wait = wait;
    Scene scene({}, options);
    for (const Memory where : {Memory::pinned, Memory::host})
      for (const std::size_t bytes : {std::size_t{1}, std::size_t{4097}, std::size_t{3'000'001}}) {
        CAPTURE(bytes, static_cast<int>(where), static_cast<int>(wait));
        const Held from(*scene.device, bytes, where), to(*scene.device, bytes, where),
            there(*scene.device, bytes, Memory::device);
        fill(from.data, bytes, 7);
        const auto stream = scene.gpu->make_stream();
        CHECK(stream->native() != nullptr);
        scene.gpu->copy(*stream, there.data, from.data, bytes, DeviceCopy::h2d, where);
        scene.gpu->copy(*stream, to.data, there.data, bytes, DeviceCopy::d2h, where);
        scene.gpu->synchronize(*stream);
        CHECK(std::equal(from.data, from.data + bytes, to.data));
      }
  }
}

TEST_CASE("cuda copies: part of an allocation, and one byte beyond it", "[unit][cuda]") {
  Scene scene;
  const Held host(*scene.device, 1000, Memory::pinned), there(*scene.device, 1000, Memory::device);
  fill(host.data, 1000, 1);
  const auto stream = scene.gpu->make_stream();
  scene.gpu->copy(*stream, there.data + 300, host.data, 700, DeviceCopy::h2d, Memory::pinned);
  scene.gpu->copy(*stream, host.data, there.data + 999, 1, DeviceCopy::d2h, Memory::pinned);
  const std::byte last = host.data[699];
  scene.gpu->synchronize(*stream);
  CHECK(host.data[0] == last);
  const Refusal refusal = refusal_of([&] {
    scene.gpu->copy(*stream, there.data + 300, host.data, 701, DeviceCopy::h2d, Memory::pinned);
  });
  CHECK(refusal.kind == ErrorKind::device);
  CHECK(refusal.message ==
        "cuMemcpyHtoDAsync_v2 failed: CUDA_ERROR_INVALID_VALUE (1): invalid argument");
}

TEST_CASE("cuda copies: take their time on the device's clock, and share the bus one way",
          "[unit][cuda]") {
  Scene scene(on_virtual_clock({{"PINNED_GBPS", "0.1"}}));
  constexpr std::size_t kBytes = 4'000'000;  // 40 ms
  const Held pinned(*scene.device, kBytes, Memory::pinned),
      there(*scene.device, kBytes, Memory::device);
  const Held second(*scene.device, kBytes, Memory::device);
  const Held back(*scene.device, kBytes, Memory::pinned);
  Accelerator& gpu = *scene.gpu;
  const auto a = gpu.make_stream(), b = gpu.make_stream();
  const auto begin = gpu.make_event(), end_a = gpu.make_event(), end_b = gpu.make_event();

  gpu.record(*begin, *a);
  gpu.copy(*a, there.data, pinned.data, kBytes, DeviceCopy::h2d, Memory::pinned);
  gpu.record(*end_a, *a);
  gpu.copy(*b, second.data, pinned.data, kBytes, DeviceCopy::h2d, Memory::pinned);
  gpu.record(*end_b, *b);
  CHECK_FALSE(end_b->done());
  end_a->wait();
  end_b->wait();
  // Whichever has the bus first.
  CHECK(is_about(std::chrono::abs(gpu.between(*end_a, *end_b)), 40ms));
  const Nanoseconds both = std::max(gpu.between(*begin, *end_a), gpu.between(*begin, *end_b));
  CHECK(both >= 80ms - 1us);
  CHECK(both < 81ms);
  CHECK(std::max(gpu.between(*end_a, *begin), gpu.between(*end_b, *begin)) <= -40ms + 1us);

  // The other way at the same time.
  gpu.record(*begin, *a);
  gpu.copy(*a, there.data, pinned.data, kBytes, DeviceCopy::h2d, Memory::pinned);
  gpu.record(*end_a, *a);
  gpu.copy(*b, back.data, second.data, kBytes, DeviceCopy::d2h, Memory::pinned);
  gpu.record(*end_b, *b);
  gpu.synchronize(*a);
  gpu.synchronize(*b);
  // They do not run one after the other.
  CHECK(gpu.between(*begin, *end_b) < gpu.between(*begin, *end_a) + 39ms);
}

TEST_CASE("cuda copies: of pageable memory they hold the caller until its bytes may be used again",
          "[unit][cuda]") {
  Scene scene(Environment{{"PAGEABLE_GBPS", "0.05"}});
  constexpr std::size_t kBytes = 4'000'000;  // 80 ms
  const Held host(*scene.device, kBytes, Memory::host),
      there(*scene.device, kBytes, Memory::device);
  Accelerator& gpu = *scene.gpu;
  const auto stream = gpu.make_stream();
  const auto begin = gpu.make_event(), end = gpu.make_event();
  gpu.record(*begin, *stream);
  const TimePoint called = scene.runtime->now();
  gpu.copy(*stream, there.data, host.data, kBytes, DeviceCopy::h2d, Memory::host);
  CHECK(scene.runtime->now() - called >= 79ms);
  gpu.record(*end, *stream);
  end->wait();
  CHECK(gpu.between(*begin, *end) >= 79ms);
}

TEST_CASE("cuda events: never recorded is done; recorded again; waited for by another thread",
          "[unit][cuda]") {
  for (const CudaWait wait : {CudaWait::spin, CudaWait::block}) {
    CudaOptions options = stub_options();
    options.wait = wait;
    Scene scene(on_virtual_clock({{"PINNED_GBPS", "0.1"}}), options);
    Accelerator& gpu = *scene.gpu;
    const Held host(*scene.device, 2'000'000, Memory::pinned),
        there(*scene.device, 2'000'000, Memory::device);
    const auto stream = gpu.make_stream(), other = gpu.make_stream();
    const auto event = gpu.make_event();
    CHECK(event->native() != nullptr);
    CHECK(event->done());
    event->wait();
    gpu.wait(*other, *event);
    gpu.synchronize(*other);
    for (int i = 0; i < 2; ++i) {
      gpu.copy(*stream, there.data, host.data, 2'000'000, DeviceCopy::h2d, Memory::pinned);
      gpu.record(*event, *stream);
      CHECK_FALSE(event->done());
      WaitsFor job(*event);
      scene.runtime->spawn("waits", job)->join();
      CHECK(job.done);
    }
  }
}

TEST_CASE("cuda events: a stream waits for what is on another, as last recorded", "[unit][cuda]") {
  Scene scene(Environment{{"PINNED_GBPS", "0.1"}});
  Accelerator& gpu = *scene.gpu;
  constexpr std::size_t kBytes = 2'000'000;  // 20 ms
  const Held from(*scene.device, kBytes, Memory::pinned), to(*scene.device, kBytes, Memory::pinned);
  const Held there(*scene.device, kBytes, Memory::device),
      elsewhere(*scene.device, kBytes, Memory::device);
  fill(from.data, kBytes, 3);
  const auto up = gpu.make_stream(), down = gpu.make_stream();
  const auto uploaded = gpu.make_event(), downloaded = gpu.make_event();
  gpu.copy(*up, there.data, from.data, kBytes, DeviceCopy::h2d, Memory::pinned);
  gpu.record(*uploaded, *up);
  gpu.wait(*down, *uploaded);
  // Later recordings are nothing to a wait that was made before them.
  gpu.copy(*up, elsewhere.data, from.data, kBytes, DeviceCopy::h2d, Memory::pinned);
  gpu.copy(*down, to.data, there.data, kBytes, DeviceCopy::d2h, Memory::pinned);
  gpu.record(*downloaded, *down);
  gpu.synchronize(*down);
  CHECK(std::equal(from.data, from.data + kBytes, to.data));
  CHECK(gpu.between(*uploaded, *downloaded) >= 20ms - 1us);
  gpu.synchronize(*up);
}

TEST_CASE("cuda events: times of what was not recorded or is not done are refused",
          "[unit][cuda]") {
  Scene scene(on_virtual_clock({{"PINNED_GBPS", "0.1"}}));
  Accelerator& gpu = *scene.gpu;
  const Held host(*scene.device, 4'000'000, Memory::pinned),
      there(*scene.device, 4'000'000, Memory::device);
  const auto stream = gpu.make_stream();
  const auto a = gpu.make_event(), b = gpu.make_event();
  gpu.record(*a, *stream);
  CHECK(refusal_of([&] {
          gpu.between(*a, *b);
        }).says("cuEventElapsedTime failed: CUDA_ERROR_INVALID_HANDLE"));
  gpu.copy(*stream, there.data, host.data, 4'000'000, DeviceCopy::h2d, Memory::pinned);
  gpu.record(*b, *stream);
  CHECK(refusal_of([&] { gpu.between(*a, *b); }).says("CUDA_ERROR_NOT_READY"));
  gpu.synchronize(*stream);
}

TEST_CASE("cuda events: without times they still order", "[unit][cuda]") {
  Scene scene;
  const auto stream = scene.gpu->make_stream();
  const auto event = scene.device->make_event_without_time();
  scene.gpu->record(*event, *stream);
  event->wait();
  const Refusal refusal = refusal_of([&] { scene.gpu->between(*event, *event); });
  CHECK(refusal.kind == ErrorKind::device);
  CHECK(refusal.says("cuEventElapsedTime failed: CUDA_ERROR_INVALID_HANDLE"));
}

TEST_CASE("cuda queue: calls are counted, those of synchronize() are not", "[unit][cuda]") {
  Scene scene;
  Accelerator& gpu = *scene.gpu;
  const Held host(*scene.device, 10, Memory::pinned), there(*scene.device, 10, Memory::device);
  const auto stream = gpu.make_stream();
  const auto event = gpu.make_event();
  gpu.copy(*stream, there.data, host.data, 10, DeviceCopy::h2d, Memory::pinned);
  gpu.copy(*stream, host.data, there.data, 10, DeviceCopy::d2h, Memory::pinned);
  gpu.record(*event, *stream);
  gpu.wait(*stream, *event);
  gpu.synchronize(*stream);
  const DeviceCalls calls = gpu.calls();
  CHECK(calls.copies == 2);
  CHECK(calls.records == 1);
  CHECK(calls.waits == 1);
  CHECK(calls.launches == 0);
  CHECK(calls.made() == 4);
}

}  // namespace queue_test
}  // namespace benchbench::test::cuda
