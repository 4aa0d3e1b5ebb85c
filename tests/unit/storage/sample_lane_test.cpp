// What a lane of samples tells an emulated storage.
#include <array>
#include <catch2/catch.hpp>

#include "scenarios/storage/sample_lane.h"
#include "tests/unit/storage/orders.h"

namespace benchbench::test::storage {
namespace {

// A chunk of 1000 bytes and 3 ms for the first of ten samples of 7 bytes, then undone for 5 ms.
class ChunkReader final : public SampleReader {
 public:
  StoredSample read(SampleId id, StepNumber step, StageMeter& meter) override {
    if (id % 10 == 0) {
      meter.bytes_read(1000);
      meter.record(step, Stage::read, std::chrono::milliseconds{3});
      meter.record(step, Stage::parse, std::chrono::milliseconds{5});
    }
    return {std::span(payload_), 0, "x"};
  }

 private:
  std::array<std::byte, 7> payload_{};
};

struct TellingStore final : EmulatedStorage {
  explicit TellingStore(Runtime& r) : runtime(r) {}
  void fetch(std::uint64_t, bool) override {}
  void fetch_since(TimePoint asked, std::uint64_t count, bool) override {
    bytes.push_back(count);
    took.push_back(runtime.now() - asked);
  }
  Runtime& runtime;
  std::vector<std::uint64_t> bytes;
  std::vector<Nanoseconds> took;
};

class ChunkLaneJob final : public Job {
 public:
  explicit ChunkLaneJob(SimulatedRuntime& r) : store(r), runtime_(r) {}
  void run() override {
    ReadOrder order({});
    const auto lane = lane_of_reader(std::make_unique<ChunkReader>(), order, &store, runtime_);
    CountingMeter meter;
    const Order o = order_of(0, {0, 1, 2, 10, 11});
    for (std::size_t i = 0; i < 5; ++i) lane->read(o.request(), i, meter);
    read_bytes = meter.read_bytes;
  }
  TellingStore store;
  std::uint64_t read_bytes = 0;

 private:
  SimulatedRuntime& runtime_;
};

TEST_CASE(
    "sample lane: a played store is charged what a format's reader read, and the time that took",
    "[unit][storage]") {
  const auto runtime = make_simulated_runtime();
  ChunkLaneJob job(*runtime);
  runtime->run(job);
  CHECK(job.read_bytes == 2000);
  CHECK(job.store.bytes == std::vector<std::uint64_t>{1000, 1000});
  CHECK(job.store.took == std::vector<Nanoseconds>(2, std::chrono::milliseconds{3}));
}

TEST_CASE("read order: what lies behind the last one in the same shard follows",
          "[unit][storage]") {
  const std::uint64_t ends[] = {4, 8};
  ReadOrder order({.samples = 8, .shard_ends = ends, .lengths = {}});
  CHECK_FALSE(order.follows(0, 1));
  CHECK(order.follows(2, 3));
  CHECK_FALSE(order.follows(4, 4));  // another shard
  CHECK(order.follows(5, 5));
  CHECK_FALSE(order.follows(7, 7));
  ReadOrder none({});
  none.follows(0, 0);
  CHECK_FALSE(none.follows(1, 1));
}

}  // namespace
}  // namespace benchbench::test::storage
