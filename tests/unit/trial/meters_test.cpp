#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>

#include "harness/core/error.h"
#include "harness/part/catalog.h"
#include "harness/pipeline/credits.h"
#include "harness/pipeline/sample_accounting.h"
#include "harness/pipeline/slot_ring.h"
#include "harness/pipeline/thread_meter.h"
#include "harness/pipeline/worker_clock.h"
#include "harness/record/value.h"
#include "harness/trial/readings/resources.h"

namespace benchbench::test {
namespace meters {

constexpr std::size_t index(Stage stage) { return static_cast<std::size_t>(stage); }

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

// Ids 0, 1, 2, ...
class CountingUp final : public Sampler {
 public:
  explicit CountingUp(std::uint64_t samples) : samples_(samples) {}
  std::uint64_t samples_per_epoch() const noexcept override { return samples_; }
  void begin(Epoch, std::span<SampleId> order) override {
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  }

 private:
  std::uint64_t samples_;
};

void deliver(SampleAccounting& accounting, Epoch epoch, std::vector<SampleId> ids) {
  accounting.delivered(epoch, ids);
}

}  // namespace meters
using namespace meters;

TEST_CASE("thread meter: stages, bytes and faults add up", "[unit][trial]") {
  ThreadMeter meter({.observer = 1});
  meter.record(0, Stage::read, Nanoseconds{5});
  meter.record(1, Stage::read, Nanoseconds{7});
  meter.payload(3, bytes_of("12345"));
  meter.bytes_read(4096);
  meter.fault(3, SampleFault::truncated, "a.jpg", "premature end");
  meter.fault(4, SampleFault::warning, "b.jpg", "extraneous bytes");
  const MeterTotals totals = meter.totals();
  CHECK(totals.stages[index(Stage::read)].ns == 12);
  CHECK(totals.stages[index(Stage::read)].count == 2);
  CHECK(totals.scopes() == 2);
  CHECK(totals.payload_bytes == 5);
  CHECK(totals.read_bytes == 4096);
  CHECK(totals.decode_errors == 1);
  CHECK(totals.decode_warnings == 1);
  REQUIRE(meter.faults().size() == 2);
  CHECK(meter.faults()[0].kind == FaultKind::truncated);
  CHECK(meter.faults()[0].where == "a.jpg");
  for (SampleId id = 0; id < 100; ++id) meter.fault(id, SampleFault::decode_error, "x", "y");
  CHECK(meter.faults().size() == ThreadMeter::kMaxFaults);
  CHECK(meter.totals().decode_errors == 101);
}

TEST_CASE("thread meter: a sample is named once, and a warning gives way to an error",
          "[unit][trial]") {
  ThreadMeter meter({.observer = 1});
  for (int epoch = 0; epoch < 3; ++epoch)
    for (SampleId id = 0; id < 40; ++id)
      meter.fault(id, SampleFault::warning, "odd.jpg", "extraneous bytes");
  CHECK(meter.faults().size() == ThreadMeter::kMaxFaults);
  meter.fault(3, SampleFault::decode_error, "three.jpg", "no image");   // named before as a warning
  meter.fault(3, SampleFault::warning, "three.jpg", "again");           // says less
  meter.fault(77, SampleFault::truncated, "seventy-seven.jpg", "cut");  // there is no room
  meter.fault(77, SampleFault::truncated, "seventy-seven.jpg", "cut");
  CHECK(meter.totals().decode_warnings == 121);
  CHECK(meter.totals().decode_errors == 3);
  CHECK(meter.faults().size() == ThreadMeter::kMaxFaults);
  const auto named = [&](SampleId id) {
    std::string kinds;
    for (const FaultySample& fault : meter.faults())
      if (fault.id == id) kinds += std::string(name_of(fault.kind)) + " ";
    return kinds;
  };
  CHECK(named(3) == "decode_error ");
  CHECK(named(77) == "truncated ");
  CHECK(named(1) == "warning ");
}

TEST_CASE("thread meter: errors of many meters come before their warnings", "[unit][trial]") {
  std::vector<FaultySample> all;
  for (SampleId id = 0; id < 40; ++id) keep_fault(all, {id, FaultKind::warning, "", ""});
  keep_fault(all, {5, FaultKind::decode_error, "", ""});
  for (SampleId id = 100; id < 140; ++id) keep_fault(all, {id, FaultKind::truncated, "", ""});
  CHECK(all.size() == ThreadMeter::kMaxFaults);
  CHECK(std::none_of(all.begin(), all.end(),
                     [](const auto& fault) { return fault.kind == FaultKind::warning; }));
  CHECK(std::any_of(all.begin(), all.end(), [](const auto& fault) { return fault.id == 5; }));
}

TEST_CASE("thread meter: a window forgets what came before it, late values too", "[unit][trial]") {
  ThreadMeter meter({.observer = 1});
  meter.record(4, Stage::forward, Nanoseconds{100});
  meter.count_from(5);
  meter.record(4, Stage::backward, Nanoseconds{100});
  meter.record(5, Stage::forward, Nanoseconds{1});
  CHECK(meter.totals().stages[index(Stage::forward)].ns == 1);
  CHECK(meter.totals().stages[index(Stage::backward)].count == 0);
}

TEST_CASE("thread meter: one payload in so many is checked against the manifest", "[unit][trial]") {
  const ExpectedDigest expected = [](SampleId id) -> std::optional<Digest> {
    if (id == 99) return std::nullopt;
    return digest_of(std::string_view("right"));
  };
  ThreadMeter meter({.observer = 1, .content_every = 4, .expected_digest = &expected});
  for (SampleId id = 0; id < 16; ++id) meter.payload(id, bytes_of("right"));
  CHECK(meter.totals().content_checked == 4);
  CHECK(meter.totals().content_wrong == 0);
  ThreadMeter all({.observer = 1, .content_every = 1, .expected_digest = &expected});
  all.payload(99, bytes_of("unknown"));
  all.payload(1, bytes_of("wrong"));
  CHECK(all.totals().content_checked == 1);
  CHECK(all.totals().content_wrong == 1);
  REQUIRE(all.faults().size() == 1);
  CHECK(all.faults()[0].id == 1);
}

TEST_CASE("conservation: duplicates and what is missing from a completed epoch", "[unit][trial]") {
  CountingUp sampler(10);
  const EpochStream stream(sampler, 4, true, 0);  // 2 batches an epoch, 8 of 10 samples
  SampleAccounting accounting(stream, 10);
  SECTION("all is well") {
    deliver(accounting, 0, {0, 1, 2, 3});
    // Out of order: the next epoch begins before this one is whole.
    deliver(accounting, 1, {0, 1, 2, 3});
    deliver(accounting, 0, {4, 5, 6, 9});
    deliver(accounting, 1, {4, 5, 6, 7});
    CHECK(accounting.epochs_completed() == 2);
    CHECK(accounting.duplicated() == 0);
    CHECK(accounting.missing() == 0);
    CHECK(accounting.delivered() == 16);
  }
  SECTION("an id twice in an epoch is duplicated, and so another is missing once it is whole") {
    deliver(accounting, 0, {0, 1, 2, 3});
    CHECK(accounting.missing() == 0);
    deliver(accounting, 0, {3, 4, 5, 6});
    CHECK(accounting.duplicated() == 1);
    CHECK(accounting.missing() == 1);
  }
  SECTION("an id beyond the data set counts as a duplicate") {
    deliver(accounting, 0, {0, 1, 2, 10});
    CHECK(accounting.duplicated() == 1);
  }
  SECTION("a page is used again, clean") {
    for (Epoch epoch = 0; epoch < 5; ++epoch) {
      deliver(accounting, epoch, {0, 1, 2, 3});
      deliver(accounting, epoch, {4, 5, 6, 7});
    }
    CHECK(accounting.epochs_completed() == 5);
    CHECK(accounting.duplicated() == 0);
  }
}

TEST_CASE("worker clock: states add up, the unfinished one included", "[unit][trial]") {
  const auto runtime = make_simulated_runtime();
  struct Walk final : Job {
    Runtime& runtime;
    WorkerClock clock;
    WorkerTimes half, whole;
    explicit Walk(Runtime& r) : runtime(r) {}
    void run() override {
      clock.enter(WorkerState::handing_over, runtime);
      runtime.spend(Nanoseconds{3}, Spend::sleep);
      clock.enter(WorkerState::filling, runtime);
      runtime.spend(Nanoseconds{10}, Spend::sleep);
      half = clock.times(runtime.now());
      runtime.spend(Nanoseconds{10}, Spend::sleep);
      clock.enter(WorkerState::waiting, runtime);
      runtime.spend(Nanoseconds{5}, Spend::sleep);
      whole = clock.times(runtime.now());
    }
  } walk(*runtime);
  runtime->run(walk);
  CHECK(walk.half.fill_ns == 10);
  CHECK(walk.whole.queue_ns == 3);
  CHECK(walk.whole.fill_ns == 20);
  CHECK(walk.whole.slot_wait_ns == 5);
  CHECK(walk.whole.wall_ns() == 28);
  CHECK(walk.whole.reads == 3);
  CHECK(WorkerClock(false).times(TimePoint{} + Nanoseconds{5}).wall_ns() == 0);
}

TEST_CASE("slot ring: memory laid out once, slots go round", "[unit][trial]") {
  const auto runtime = make_real_runtime();
  const auto device = make_cpu_device();
  BatchSpec spec;
  spec.tensor[spec.count++] = {
      .name = "image", .dtype = DType::uint8, .row = {.extent = {3, 5, 7}, .rank = 3}};
  spec.tensor[spec.count++] = {.name = "label", .dtype = DType::int64, .row = {}};
  SlotRing ring(*device, *runtime, spec, 3, 4, Memory::host);
  std::vector<BatchSlot*> first;
  for (int i = 0; i < 4; ++i) {
    RingSlot& slot = ring.issue();
    slot.samples = 3;
    for (const TensorView& tensor : std::span(slot.tensors.data(), slot.tensor_count)) {
      CHECK(reinterpret_cast<std::uintptr_t>(tensor.data) % 64 == 0);
      std::memset(tensor.data, i + 1, 3 * tensor.spec.bytes_per_row());
    }
    first.push_back(&slot);
  }
  CHECK_THROWS_AS(ring.issue(), PartError);
  for (int i = 0; i < 4; ++i) {  // none wrote into another's memory
    const auto* labels =
        reinterpret_cast<const unsigned char*>(first[static_cast<std::size_t>(i)]->tensors[1].data);
    CHECK(labels[0] == i + 1);
    CHECK(labels[23] == i + 1);
  }
  CHECK(ring.samples_in(SlotState::issued).value == 12);
  for (const std::size_t i : {2u, 0u, 3u, 1u}) ring.give_back(*first[i]);
  // First in, first out.
  for (const std::size_t i : {2u, 0u, 3u, 1u}) CHECK(&ring.issue() == first[i]);
}

TEST_CASE("tokens: never more than max_jobs", "[unit][trial]") {
  Credits credits(2);
  CHECK(credits.take());
  CHECK(credits.take());
  CHECK_FALSE(credits.take());
  credits.give_back();
  CHECK(credits.take());
  CHECK(credits.used() == 2);
}

TEST_CASE("cpu device: aligned zeroed memory, and no pinned one", "[unit][trial]") {
  const auto device = make_cpu_device();
  for (const std::size_t bytes : {1ull, 4096ull, 3ull << 20, 64ull << 20}) {
    std::byte* const data = device->allocate(bytes, Memory::host);
    CHECK(reinterpret_cast<std::uintptr_t>(data) % 64 == 0);
    CHECK(data[0] == std::byte{0});
    CHECK(data[bytes - 1] == std::byte{0});
    data[bytes - 1] = std::byte{1};
    device->deallocate(data, bytes, Memory::host);
  }
  CHECK_THROWS_AS(device->allocate(64, Memory::pinned), DeviceError);
  CHECK(device->name() == "cpu");
  CHECK_FALSE(device->model().empty());
}

TEST_CASE("resources: counters rise, and a difference is a difference", "[unit][trial]") {
  const ResourceCounters before = read_resources();
  volatile std::uint64_t work = 0;
  for (std::uint64_t i = 0; i < 10'000'000; ++i) work = work + i;
  {
    std::vector<char> fresh(64 << 20, 'x');
    work = work + static_cast<std::uint64_t>(fresh[work % fresh.size()]);
  }
  const ResourceUse use = used_between(before, read_resources());
  CHECK(use.page_faults >= 32);  // as many huge pages
  CHECK((use + use).page_faults == 2 * use.page_faults);
  // The ticks that fell into each say which of them it is.
  CHECK(use.cpu_user_s + use.cpu_system_s > 0);
  CHECK(use.cpu_user_s >= 0);
  CHECK(use.cpu_system_s >= 0);
  if (use.steal_share()) CHECK((*use.steal_share() >= 0 && *use.steal_share() <= 1));
  reset_peak_memory();
  const auto low = peak_memory();
  REQUIRE(low.has_value());
  {
    const auto device = make_cpu_device();
    std::byte* const data = device->allocate(50u << 20, Memory::host);
    CHECK(peak_memory().value() >= *low + (45u << 20));
    device->deallocate(data, 50u << 20, Memory::host);
  }
}

}  // namespace benchbench::test
