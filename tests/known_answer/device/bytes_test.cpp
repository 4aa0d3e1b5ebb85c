// Bytes that are really moved arrive where they belong, and are read before the host writes its
// slot again.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <memory>
#include <vector>

#include "harness/pipeline/thread_meter.h"
#include "harness/trial/device_feed/device_feed.h"
#include "tests/unit/core/jobs.h"

namespace benchbench::test::device_bytes {
namespace {

constexpr std::uint64_t kRows = 16;
constexpr std::size_t kSteps = 12;

// 5 bytes a row, so that tensors do not fill their cache lines; then labels; then a ragged one of
// up to 40 bytes.
BatchSpec three_tensors() {
  BatchSpec spec;
  spec.count = 3;
  spec.tensor[0] = {.name = "x", .dtype = DType::uint8, .row = {{5}, 1}, .ragged = false};
  spec.tensor[1] = {.name = "label", .dtype = DType::int64, .row = {}, .ragged = false};
  spec.tensor[2] = {.name = "tokens", .dtype = DType::int32, .row = {{10}, 1}, .ragged = true};
  return spec;
}

std::byte value_at(std::size_t step, std::size_t tensor, std::size_t at) {
  return static_cast<std::byte>(31 * step + 7 * tensor + 3 * at + 1);
}

// A host whose slots are written over as soon as they come back.
struct Host final : SlotOwner {
  explicit Host(Memory where) {
    for (std::size_t i = 0; i < slots.size(); ++i) {
      memory[i].resize(4096);
      slots[i].where = where;
    }
  }
  void give_back(BatchSlot& slot) noexcept override {
    const auto i = static_cast<std::size_t>(&slot - slots.data());
    std::fill(memory[i].begin(), memory[i].end(), std::byte{0xEE});
    ++returned;
  }
  BatchLease fill(std::size_t step) {
    BatchSlot& slot = slots[step];
    const BatchSpec spec = three_tensors();
    slot.samples = step % 3 == 2 ? kRows / 2 - 1 : kRows;  // some are smaller, as an epoch's last
    std::byte* at = memory[step].data();
    at += (64 - reinterpret_cast<std::uintptr_t>(at) % 64) % 64;
    for (std::size_t t = 0; t < spec.count; ++t) {
      TensorView& view = slot.tensors[t] = {
          .spec = spec.tensor[t], .rows = static_cast<std::int64_t>(slot.samples), .data = at};
      if (view.spec.ragged) view.spec.row.extent[0] = static_cast<std::int64_t>(1 + step % 10);
      for (std::size_t b = 0; b < view.bytes(); ++b) at[b] = value_at(step, t, b);
      at += (spec.tensor[t].bytes_per_row() * kRows + 63) / 64 * 64;
    }
    slot.tensor_count = spec.count;
    return BatchLease(slot, *this);
  }
  std::array<BatchSlot, kSteps> slots;
  std::array<std::vector<std::byte>, kSteps> memory;
  std::atomic<std::size_t> returned{0};
};

bool arrived(const BatchLease& lease, std::size_t step) {
  bool all = lease.tensors().size() == 3;
  for (std::size_t t = 0; t < lease.tensors().size(); ++t) {
    const TensorView& view = lease.tensors()[t];
    all = all && view.rows == static_cast<std::int64_t>(lease.samples().value);
    for (std::size_t b = 0; b < view.bytes(); ++b)
      all = all && view.data[b] == value_at(step, t, b);
  }
  return all;
}

// How many batches arrived whole.
std::size_t moved(Runtime& runtime, Memory where, bool non_blocking, bool own) {
  const EmulatedFigures figures{.pinned = 1e9, .pageable = 0.5e9, .moves = true};
  const auto device = make_emulated_device(figures, runtime);
  ThreadMeter meter({});
  Host host(where);
  std::size_t whole = 0;
  {
    DeviceFeed feed({.device = *device,
                     .runtime = runtime,
                     .meter = meter,
                     .settings = {.non_blocking = non_blocking, .own_stream = own, .in_flight = 3},
                     .spec = three_tensors(),
                     .batch_size = kRows});
    for (std::size_t step = 0; step < kSteps; ++step) {
      feed.wait_for_buffer(step);
      const TimePoint now = runtime.now();
      BatchLease lease = feed.upload(host.fill(step), step, now, now);
      lease.ready()->wait();
      whole += arrived(lease, step);
      device->accelerator()->launch(feed.stream(), {.time = Nanoseconds{2000}});
      lease.drop();
      feed.end_step(step);
    }
    feed.finish();
    CHECK(feed.totals().copies == kSteps);
  }
  CHECK(host.returned == kSteps);
  return whole;
}

}  // namespace

TEST_CASE("device: every byte of every batch arrives, whatever its size, on both clocks",
          "[known_answer][device]") {
  for (const Memory where : {Memory::host, Memory::pinned})
    for (const bool non_blocking : {false, true})
      for (const bool own : {false, true}) {
        INFO((where == Memory::pinned ? "pinned" : "pageable")
             << (non_blocking ? ", non_blocking" : "") << (own ? ", own" : ""));
        CHECK(moved(*make_real_runtime(), where, non_blocking, own) == kSteps);
        std::size_t simulated = 0;
        const auto runtime = make_simulated_runtime();
        run_simulated(*runtime, [&] { simulated = moved(*runtime, where, non_blocking, own); });
        CHECK(simulated == kSteps);
      }
}

}  // namespace benchbench::test::device_bytes
