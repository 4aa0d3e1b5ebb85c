// The stub driver is no kinder than a driver: launches that wait for room, events that are seen
// late, and copies of pageable memory, as on an H200.
#include <algorithm>

#include "tests/unit/cuda/scene.h"

namespace benchbench::test::cuda {
namespace stub_test {

using namespace std::chrono_literals;

CudaOptions with_kernels() {
  CudaOptions options = stub_options();
  options.kernels = true;
  return options;
}

// When the host is through with so many launches of 1 ms, from their begin on the device.
Nanoseconds time_of_launching(Accelerator& gpu, int launches) {
  const auto busy = gpu.make_stream(), other = gpu.make_stream();
  const auto from = gpu.make_event(), to = gpu.make_event();
  gpu.record(*from, *busy);
  for (int i = 0; i < launches; ++i) gpu.launch(*busy, {.time = 1ms});
  gpu.record(*to, *other);
  gpu.synchronize(*busy);
  gpu.synchronize(*other);
  return gpu.between(*from, *to);
}

TEST_CASE("stub driver: a launch waits where 1,022 of its stream are under way", "[unit][cuda]") {
  Scene scene(Environment{{"CALL_NS", "100"}}, with_kernels());
  CHECK(time_of_launching(*scene.gpu, 1022) < 500us);
  CHECK(time_of_launching(*scene.gpu, 1032) > 9900us);
}

TEST_CASE("stub driver: an event is seen to be done after it is", "[unit][cuda]") {
  Scene scene(on_virtual_clock({{"SEEN_LATE_NS", "5000000"}}), with_kernels());
  const auto stream = scene.gpu->make_stream();
  const auto from = scene.gpu->make_event(), to = scene.gpu->make_event(),
             seen = scene.gpu->make_event();
  scene.gpu->record(*from, *stream);
  scene.gpu->launch(*stream, {.time = 1ms});
  scene.gpu->record(*to, *stream);
  CHECK_FALSE(to->done());
  to->wait();
  scene.gpu->record(*seen, *stream);
  seen->wait();
  CHECK(std::chrono::abs(scene.gpu->between(*from, *to) - 1ms) <= 10us);
  CHECK(scene.gpu->between(*to, *seen) >= 5ms);
}

Nanoseconds time_of_copy(Scene& scene, std::size_t bytes) {
  const Held host(*scene.device, bytes, Memory::host), there(*scene.device, bytes, Memory::device);
  const auto stream = scene.gpu->make_stream();
  const auto from = scene.gpu->make_event(), to = scene.gpu->make_event();
  scene.gpu->record(*from, *stream);
  scene.gpu->copy(*stream, there.data, host.data, bytes, DeviceCopy::h2d, Memory::host);
  scene.gpu->record(*to, *stream);
  scene.gpu->synchronize(*stream);
  return scene.gpu->between(*from, *to);
}

TEST_CASE("stub driver: large copies of pageable memory are slower", "[unit][cuda]") {
  Scene scene(on_virtual_clock({{"PAGEABLE_GBPS", "0.16:0.1"}}));
  const auto rate = [&](std::size_t bytes) {
    return 1e-9 * static_cast<double>(bytes) / to_seconds(time_of_copy(scene, bytes));
  };
  CHECK(rate(38'500'000) == Approx(0.16).epsilon(0.01));
  CHECK(rate(109'000'000) == Approx(0.13).epsilon(0.01));
  CHECK(rate(154'000'000) == Approx(0.1).epsilon(0.01));
}

// Returns how long the call holds the host, where the copy takes 10 ms, and true if the bytes came
// that were there when it was called.
std::pair<Nanoseconds, bool> held_by_copy(std::size_t bytes) {
  const std::string rate = std::to_string(static_cast<double>(bytes) * 1e-7);
  Scene scene(on_virtual_clock({{"PAGEABLE_GBPS", rate}}));
  const Held host(*scene.device, bytes, Memory::host), there(*scene.device, bytes, Memory::device);
  const auto stream = scene.gpu->make_stream(), other = scene.gpu->make_stream();
  const auto from = scene.gpu->make_event(), to = scene.gpu->make_event();
  scene.gpu->record(*from, *other);
  std::fill_n(host.data, bytes, std::byte{7});
  scene.gpu->copy(*stream, there.data, host.data, bytes, DeviceCopy::h2d, Memory::host);
  std::fill_n(host.data, bytes, std::byte{8});
  scene.gpu->record(*to, *other);
  scene.gpu->synchronize(*other);
  scene.gpu->copy(*stream, host.data, there.data, bytes, DeviceCopy::d2h, Memory::host);
  return {scene.gpu->between(*from, *to),
          std::all_of(host.data, host.data + bytes, [](std::byte b) { return b == std::byte{7}; })};
}

TEST_CASE("stub driver: copies of up to 64 KiB of pageable memory are staged and return",
          "[unit][cuda]") {
  const auto [small, small_came] = held_by_copy(65'536);
  CHECK(small < 1ms);
  CHECK(small_came);
  const auto [large, large_came] = held_by_copy(65'537);
  CHECK(large >= 10ms);
  CHECK(large_came);
}

}  // namespace stub_test
}  // namespace benchbench::test::cuda
