// Rows that stay on the device: each batch has those of its list, and loading them takes what its
// copies take.
#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <cstring>
#include <memory>
#include <vector>

#include "harness/core/error.h"
#include "harness/pipeline/thread_meter.h"
#include "harness/trial/device_feed/device_feed.h"
#include "harness/trial/device_feed/device_rows.h"
#include "tests/known_answer/device/rows_of_ids.h"
#include "tests/unit/core/jobs.h"

namespace benchbench::test::device_gather {
namespace {

constexpr std::uint64_t kRows = 16, kSamples = 40;
constexpr std::size_t kSteps = 12;
constexpr EmulatedFigures kFigures{.pinned = 1e9, .pageable = 0.5e9, .moves = true};

// 5, 8 and 48 bytes a row.
BatchSpec three_tensors() {
  BatchSpec spec;
  spec.count = 3;
  spec.tensor[0] = {.name = "x", .dtype = DType::uint8, .row = {{5}, 1}};
  spec.tensor[1] = {.name = "label", .dtype = DType::int64, .row = {}};
  spec.tensor[2] = {.name = "y", .dtype = DType::int32, .row = {{12}, 1}};
  return spec;
}

// Lists whose memory is written over as soon as they come back.
struct Host final : SlotOwner {
  explicit Host(Memory where) {
    for (BatchSlot& slot : slots) slot.where = where;
  }
  void give_back(BatchSlot& slot) noexcept override {
    lists[static_cast<std::size_t>(&slot - slots.data())].assign(kRows, 0);
  }
  BatchLease fill(std::size_t step) {
    BatchSlot& slot = slots[step];
    ids[step].resize(step % 3 == 2 ? kRows / 2 - 1 : kRows);  // some are an epoch's last
    for (std::size_t i = 0; i < ids[step].size(); ++i) ids[step][i] = (7 * step + 3 * i) % kSamples;
    ids[step][1] = ids[step][0];
    lists[step] = ids[step];
    slot.ids = ids[step];
    slot.samples = ids[step].size();
    slot.tensor_count = 1;
    slot.tensors[0] = {.spec = list_spec().tensor[0],
                       .rows = static_cast<std::int64_t>(slot.samples),
                       .data = reinterpret_cast<std::byte*>(lists[step].data())};
    return BatchLease(slot, *this);
  }
  std::array<BatchSlot, kSteps> slots;
  std::array<std::vector<SampleId>, kSteps> ids, lists;
};

bool is_of_its_ids(const BatchLease& lease, const std::vector<SampleId>& ids) {
  bool all = lease.where() == Memory::device && lease.tensors().size() == 3 &&
             std::ranges::equal(lease.ids(), ids);
  for (std::size_t t = 0; all && t < 3; ++t) {
    const TensorView& view = lease.tensors()[t];
    const std::size_t row = view.spec.bytes_per_row();
    all = view.spec == three_tensors().tensor[t] && view.bytes() == ids.size() * row;
    for (std::size_t b = 0; all && b < view.bytes(); ++b)
      all = view.data[b] == device::byte_of_row(ids[b / row], t, b % row);
  }
  return all;
}

struct Seen {
  std::size_t whole = 0;  // batches
  std::uint64_t copied = 0, listed = 0;
  std::int64_t load_ns = 0;
};

Seen gathered(Runtime& runtime, Memory where, bool non_blocking, bool own) {
  const auto device = make_emulated_device(kFigures, runtime);
  device::RowsOfIds maker(three_tensors(), kSamples);
  const Interruption none;
  Seen seen;
  const TimePoint start = runtime.now();
  DeviceRows rows({.device = *device,
                   .runtime = runtime,
                   .maker = maker,
                   .batch_size = kRows,
                   .staging = where,
                   .interruption = none});
  seen.load_ns = (runtime.now() - start).count();
  ThreadMeter meter({});
  Host host(where);
  DeviceFeed feed({.device = *device,
                   .runtime = runtime,
                   .meter = meter,
                   .settings = {.non_blocking = non_blocking, .own_stream = own, .in_flight = 3},
                   .spec = rows.spec(),
                   .batch_size = kRows,
                   .making = &rows});
  for (std::size_t step = 0; step < kSteps; ++step) {
    feed.wait_for_buffer(step);
    const TimePoint now = runtime.now();
    BatchLease lease = feed.upload(host.fill(step), step, now, now);
    lease.ready()->wait();
    seen.whole += is_of_its_ids(lease, host.ids[step]);
    seen.listed += host.ids[step].size();
    device->accelerator()->launch(feed.stream(), {.time = Nanoseconds{2000}});
    lease.drop();
    feed.end_step(step);
  }
  feed.finish();
  seen.copied = feed.totals().bytes;
  return seen;
}

}  // namespace

TEST_CASE("device: gathered batches have the rows of their lists, on both clocks",
          "[known_answer][device]") {
  for (const Memory where : {Memory::host, Memory::pinned})
    for (const bool non_blocking : {false, true})
      for (const bool own : {false, true}) {
        const bool pinned = where == Memory::pinned;
        INFO((pinned ? "pinned" : "pageable")
             << (non_blocking ? ", non_blocking" : "") << (own ? ", own" : ""));
        CHECK(gathered(*make_real_runtime(), where, non_blocking, own).whole == kSteps);
        Seen seen;
        const auto runtime = make_simulated_runtime();
        run_simulated(*runtime, [&] { seen = gathered(*runtime, where, non_blocking, own); });
        CHECK(seen.whole == kSteps);
        CHECK(seen.copied == 8 * seen.listed);
        // Nine copies of 3 us to call. From pinned memory all but the last one of a batch are
        // done before the next is called; those are of 16, 16 and 8 rows of 48 bytes.
        CHECK(seen.load_ns == 9 * 3000 + (pinned ? 40 * 48 : 2 * 40 * (5 + 8 + 48)));
      }
}

TEST_CASE("device: rows that do not fit are refused before one is made, and a stop is heeded",
          "[known_answer][device]") {
  const auto runtime = make_simulated_runtime();
  struct Unmade final : Loader, LoaderWorker {
    Layout layout() const override { return {1'000'000, {}, {}}; }
    BatchSpec spec() const override { return three_tensors(); }
    std::unique_ptr<LoaderWorker> worker(WorkerNumber, Runtime&) override {
      return std::make_unique<Unmade>();
    }
    void fill(const BatchRequest&, StageMeter&) override { FAIL("a sample was made"); }
  } maker;
  const auto device = make_emulated_device({.memory = 61'000'064}, *runtime);
  const std::atomic<bool> stop{true};
  const Interruption stopped(&stop, kForever, {});
  const auto load = [&] {
    const DeviceRows rows(
        {.device = *device, .runtime = *runtime, .maker = maker, .interruption = stopped});
  };
  CHECK_THROWS_AS(load(), InterruptedError);
  CHECK_THROWS_AS(load(), InterruptedError);  // what it took was given back
  const DeviceBuffer other(*device, three_tensors(), 1);
  std::string message;
  try {
    load();
  } catch (const PartError& error) {
    message = error.message();
    CHECK_THAT(std::string(error.hint()), Catch::StartsWith("residency: host"));
  }
  CHECK_THAT(message,
             Catch::StartsWith("loader.residency: device needs 58.2 MiB of the device's "
                               "memory (1,000,000 samples of 61 B): out of device memory"));
}

}  // namespace benchbench::test::device_gather
