// What moving a batch costs: copies into memory that is used again and into fresh memory, bringing
// it to the device, and the way of a slot round its ring.
#include <benchmark/benchmark.h>

#include <cstring>
#include <vector>

#include "harness/micro/benchmarks.h"
#include "harness/micro/row.h"
#include "harness/pipeline/slot_ring.h"
#include "harness/pipeline/thread_meter.h"
#include "harness/trial/device_feed/device_feed.h"

namespace benchbench::micro {
namespace {

constexpr std::size_t kSample = 224 * 224 * 3;
constexpr std::size_t kCopySamples = 256;

void count_batches(benchmark::State& state, std::size_t batches_at_once = 1) {
  count_samples(state, state.iterations() * batches_at_once * kCopySamples, kSample);
}

BatchSpec images() {
  BatchSpec spec;
  spec.count = 1;
  spec.tensor[0] = {.name = "image", .dtype = DType::uint8, .row = {{224, 224, 3}, 3}};
  return spec;
}

void fill(std::byte* rows, const std::vector<std::byte>& sample) {
  for (std::size_t i = 0; i < kCopySamples; ++i)
    std::memcpy(rows + i * kSample, sample.data(), kSample);
  benchmark::ClobberMemory();
}

void copy_recycled(benchmark::State& state) {
  const auto device = make_cpu_device();
  const std::vector<std::byte> sample(kSample, std::byte{1});
  constexpr std::size_t kBuffers = 3;
  std::byte* const memory = device->allocate(kBuffers * kCopySamples * kSample, Memory::host);
  std::size_t turn = 0;
  for (auto _ : state) fill(memory + turn++ % kBuffers * kCopySamples * kSample, sample);
  device->deallocate(memory, kBuffers * kCopySamples * kSample, Memory::host);
  count_batches(state);
}

// As a loader does that makes a new tensor for each batch: the system hands over pages one fault at
// a time.
void copy_fresh(benchmark::State& state) {
  const std::vector<std::byte> sample(kSample, std::byte{1});
  for (auto _ : state) {
    const std::unique_ptr<std::byte[]> memory(new std::byte[kCopySamples * kSample]);
    fill(memory.get(), sample);
  }
  count_batches(state);
}

// Each sample into memory of its own, then all of them into the batch: clone and stack.
void copy_twice(benchmark::State& state) {
  const std::vector<std::byte> sample(kSample, std::byte{1});
  std::vector<std::unique_ptr<std::byte[]>> clones(kCopySamples);
  for (auto _ : state) {
    for (auto& clone : clones) {
      clone.reset(new std::byte[kSample]);
      std::memcpy(clone.get(), sample.data(), kSample);
    }
    const std::unique_ptr<std::byte[]> memory(new std::byte[kCopySamples * kSample]);
    for (std::size_t i = 0; i < kCopySamples; ++i)
      std::memcpy(memory.get() + i * kSample, clones[i].get(), kSample);
    benchmark::ClobberMemory();
    for (auto& clone : clones) clone.reset();
  }
  count_batches(state);
}

struct Ring {
  explicit Ring(std::uint32_t count)
      : slots(*device, *runtime, images(), kCopySamples, count, Memory::host) {}
  BatchLease lease() {
    RingSlot& slot = slots.issue();
    slot.samples = kCopySamples;
    for (std::uint8_t t = 0; t < slot.tensor_count; ++t) slot.tensors[t].rows = kCopySamples;
    return slots.lease(slot);
  }
  std::unique_ptr<Runtime> runtime = make_real_runtime();
  std::unique_ptr<Device> device = make_cpu_device();
  SlotRing slots;
};

void slot_round(benchmark::State& state) {
  Ring ring(3);
  for (auto _ : state) ring.lease();
  count_iterations(state);
}

// What a step on a device costs the host besides its calls: buffers, events, stamps. The device
// itself takes no time.
void upload(benchmark::State& state) {
  Ring ring(4);
  constexpr double kFree = 1e18;
  const auto device = make_emulated_device({.pinned = kFree,
                                            .pageable = kFree,
                                            .copy_call = Nanoseconds{0},
                                            .launch_call = Nanoseconds{0}},
                                           *ring.runtime);
  ThreadMeter meter({});
  DeviceFeed feed({.device = *device,
                   .runtime = *ring.runtime,
                   .meter = meter,
                   .settings = {},
                   .spec = images(),
                   .batch_size = kCopySamples});
  StepNumber step = 0;
  for (auto _ : state) {
    feed.wait_for_buffer(step);
    const TimePoint now = ring.runtime->now();
    feed.upload(ring.lease(), step, now, now);
    feed.end_step(step++);
  }
  feed.finish();
  count_iterations(state);
}

void slots_recycled(benchmark::State& state) {
  Ring ring(3);
  const std::vector<std::byte> sample(kSample, std::byte{1});
  for (auto _ : state) fill(ring.lease().tensors()[0].data, sample);
  count_batches(state);
}

// The ring's memory is touched as it is made, before any window: this is what that takes, a batch.
void slots_first_touch(benchmark::State& state) {
  constexpr std::uint32_t kSlots = 3;
  for (auto _ : state) benchmark::DoNotOptimize(Ring(kSlots).slots.bytes());
  count_batches(state, kSlots);
}

}  // namespace

void register_copies() {
  const auto add = [](const char* name, void (*body)(benchmark::State&)) {
    benchmark::RegisterBenchmark(name, body)->UseRealTime()->Unit(benchmark::kMillisecond);
  };
  add("copy/150528x256/recycled", copy_recycled);
  add("copy/150528x256/fresh", copy_fresh);
  add("copy/150528x256/clone_and_stack", copy_twice);
  add("slots/150528x256/recycled", slots_recycled);
  add("slots/150528x256/first_touch", slots_first_touch);
  benchmark::RegisterBenchmark("slots/issue_lease_give_back", slot_round);
  benchmark::RegisterBenchmark("upload/bookkeeping", upload);
}

}  // namespace benchbench::micro
