// The feed and the emulated accelerator against the equations, to the nanosecond, in virtual time.
#include <catch2/catch.hpp>
#include <memory>
#include <vector>

#include "harness/core/random.h"
#include "harness/pipeline/thread_meter.h"
#include "harness/trial/device_feed/device_feed.h"
#include "harness/trial/device_feed/device_rows.h"
#include "tests/known_answer/device/recurrence.h"
#include "tests/known_answer/device/rows_of_ids.h"

namespace benchbench::test::device {
namespace {

constexpr std::uint64_t kRows = 64;
// A copy from pinned memory; from pageable memory it takes three times that.
constexpr double kNsPerRow = 1000;
constexpr Ns kGatherPerRow = 500;

struct Case {
  Memory memory = Memory::pinned;
  bool non_blocking = true;
  bool gathered = false;  // of rows on the device: a hundred bytes and an id each
  Work work;
  std::vector<std::uint64_t> rows;  // of each step's batch

  bool held() const { return memory != Memory::pinned || !non_blocking; }
  double ns_per_row() const {
    return (memory == Memory::pinned ? kNsPerRow : 3 * kNsPerRow) * (gathered ? 0.08 : 1);
  }
};

BatchSpec one_tensor() {
  BatchSpec spec;
  spec.count = 1;
  spec.tensor[0] = {.name = "x", .dtype = DType::uint8, .row = {{100}, 1}, .ragged = false};
  return spec;
}

struct Host final : SlotOwner {
  explicit Host(std::size_t steps) : slots(steps), returned(steps, false) {}
  void give_back(BatchSlot& slot) noexcept override {
    returned[static_cast<std::size_t>(&slot - slots.data())] = true;
  }
  std::vector<BatchSlot> slots;
  std::vector<bool> returned;
};

struct Seen {
  std::vector<Times> times;
  DeviceTotals totals;
  Ns window = 0;
  bool all_returned = true;
};

class Steps final : public Job {
 public:
  Steps(SimulatedRuntime& runtime, const Case& of, Seen& seen)
      : runtime_(runtime), case_(of), seen_(seen) {}

  void run() override {
    const EmulatedFigures figures{.pinned = 100e9 / kNsPerRow,
                                  .pageable = 100e9 / (3 * kNsPerRow),
                                  .copy_call = Nanoseconds{case_.work.copy_call},
                                  .launch_call = Nanoseconds{case_.work.launch_call},
                                  .queue = static_cast<std::uint32_t>(case_.work.queue),
                                  .memory_rate = (2 * 100 + 8) * 1e9 / kGatherPerRow};
    device_ = make_emulated_device(figures, runtime_, false);
    on_ = device_->accelerator();
    const UploadSettings settings{.non_blocking = case_.non_blocking,
                                  .own_stream = case_.work.own_stream,
                                  .in_flight = static_cast<std::uint32_t>(case_.work.in_flight)};
    ThreadMeter meter({});
    RowsOfIds maker(one_tensor(), kRows);
    const Interruption none;
    std::unique_ptr<DeviceRows> rows;
    if (case_.gathered)
      rows = std::make_unique<DeviceRows>(DeviceRows::Order{
          .device = *device_, .runtime = runtime_, .maker = maker, .interruption = none});
    DeviceFeed feed({.device = *device_,
                     .runtime = runtime_,
                     .meter = meter,
                     .settings = settings,
                     .spec = one_tensor(),
                     .batch_size = kRows,
                     .making = rows.get()});
    Host host(case_.work.steps.size());
    const auto origin = on_->make_event();
    on_->record(*origin, feed.stream());
    start_ = runtime_.now();
    feed.edge(start_);
    const DeviceTotals before = feed.totals();
    for (std::size_t k = 0; k < case_.work.steps.size(); ++k) step(k, feed, host);
    feed.finish();
    const TimePoint end = runtime_.now();
    feed.edge(end);
    seen_.totals = feed.totals() - before;
    seen_.window = (end - start_).count();
    for (std::size_t k = 0; k < done_.size(); ++k)
      seen_.times[k].done = on_->between(*origin, *done_[k]).count();
    for (const bool one : host.returned) seen_.all_returned = seen_.all_returned && one;
  }

 private:
  Ns since(TimePoint at) const { return (at - start_).count(); }

  void step(std::size_t k, DeviceFeed& feed, Host& host) {
    const Work::Step& work = case_.work.steps[k];
    Times t;
    feed.wait_for_buffer(k);
    const TimePoint asked = runtime_.now();
    t.asked = since(asked);
    runtime_.spend_until(start_ + Nanoseconds{work.ready}, Spend::sleep);
    const TimePoint got = runtime_.now();
    t.got = since(got);
    BatchSlot& slot = host.slots[k];
    slot.tensor_count = 1;
    slot.tensors[0] = {.spec = (case_.gathered ? list_spec() : one_tensor()).tensor[0],
                       .rows = static_cast<std::int64_t>(case_.rows[k]),
                       .data = bytes_};
    slot.samples = case_.rows[k];
    slot.where = case_.memory;
    BatchLease lease = feed.upload(BatchLease(slot, host), k, asked, got);
    if (!case_.gathered || !case_.non_blocking) CHECK(host.returned[k] == case_.held());
    CHECK(lease.where() == Memory::device);
    for (const Ns kernel : work.kernels) on_->launch(feed.stream(), {.time = Nanoseconds{kernel}});
    lease.drop();
    feed.end_step(k);
    done_.push_back(on_->make_event());
    on_->record(*done_.back(), feed.stream());
    if (work.logged) {
      feed.synchronize(k);
      on_->copy(feed.stream(), loss_, bytes_, sizeof loss_, DeviceCopy::d2h, Memory::host);
    }
    t.host_end = since(runtime_.now());
    seen_.times.push_back(t);
  }

  SimulatedRuntime& runtime_;
  const Case& case_;
  Seen& seen_;
  std::unique_ptr<Device> device_;
  Accelerator* on_ = nullptr;
  TimePoint start_{};
  std::vector<std::unique_ptr<DeviceEvent>> done_;
  std::byte bytes_[kRows * 100] = {};
  std::byte loss_[4] = {};
};

Seen run(const Case& of) {
  Seen seen;
  const auto runtime = make_simulated_runtime();
  Steps steps(*runtime, of, seen);
  runtime->run(steps);
  return seen;
}

Ns below(Random& random, Ns most) {
  return static_cast<Ns>(random.below(static_cast<std::uint64_t>(most) + 1));
}

// What ever can be chosen, from the seed.
Case random_case(std::uint64_t seed) {
  Random random(seed);
  Case made;
  made.memory = random.below(2) ? Memory::pinned : Memory::host;
  made.non_blocking = random.below(2);
  made.work.in_flight = 1 + random.below(4);
  made.work.own_stream = random.below(2);
  made.gathered = seed % 3 == 0;
  made.work.held = made.gathered ? made.memory != Memory::pinned : made.held();
  made.work.waits = made.gathered && !made.non_blocking;
  made.work.copy_call = below(random, 5000);
  made.work.launch_call = below(random, 5000);
  made.work.queue = 1 + random.below(6);
  made.work.read_back = made.work.copy_call + std::llround(4 * 3 * kNsPerRow / 100);
  const Ns longest = 1 + below(random, 60000);
  const std::size_t steps = 1 + random.below(24), kernels = 1 + random.below(5);
  const Ns period = below(random, 2 * longest);
  for (std::size_t k = 0; k < steps; ++k) {
    Work::Step step;
    made.rows.push_back(1 + random.below(kRows));
    step.copy = std::llround(static_cast<double>(made.rows.back()) * made.ns_per_row());
    if (made.gathered) step.gather = kGatherPerRow * static_cast<Ns>(made.rows.back());
    for (std::size_t j = 0; j < kernels; ++j) step.kernels.push_back(below(random, longest));
    step.logged = random.below(8) == 0;
    step.ready = (k > 0 ? made.work.steps.back().ready : 0) + below(random, 2 * period);
    made.work.steps.push_back(std::move(step));
  }
  return made;
}

}  // namespace

TEST_CASE("device: random runs take what the equations say, to the nanosecond",
          "[known_answer][device]") {
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    const Case of = random_case(seed);
    const Seen seen = run(of);
    const std::vector<Times> known = times_of(of.work);
    INFO("seed " << seed << ", in_flight " << of.work.in_flight
                 << (of.work.own_stream ? ", own" : ", current")
                 << (of.held() ? ", held" : ", not held") << (of.gathered ? ", gathered" : ""));
    REQUIRE(seen.times.size() == known.size());
    CHECK(seen.all_returned);
    for (std::size_t k = 0; k < known.size(); ++k) {
      INFO("step " << k);
      REQUIRE(seen.times[k].asked == known[k].asked);
      REQUIRE(seen.times[k].got == known[k].got);
      REQUIRE(seen.times[k].done == known[k].done);
      REQUIRE(seen.times[k].host_end == known[k].host_end);
    }
  }
}

TEST_CASE("device: its timeline adds up, and says what the gaps were for",
          "[known_answer][device]") {
  for (std::uint64_t seed = 5000; seed < 5600; ++seed) {
    const Case of = random_case(seed);
    const Seen seen = run(of);
    const std::vector<Times> known = times_of(of.work);
    INFO("seed " << seed);
    CHECK(seen.totals.steps == known.size());
    CHECK(seen.totals.copies == known.size());
    CHECK((seen.totals.span + seen.totals.gaps).count() == seen.window);
    Ns for_data = 0, exposed = 0, copied = 0;
    for (std::size_t k = 0; k < known.size(); ++k) {
      const Ns before = k > 0 ? known[k - 1].done : 0;
      for_data += std::max<Ns>(0, known[k].got - std::max(before, known[k].asked));
      // The event before a copy is done as the host calls for it, which is copy_call before the
      // copy can begin.
      Ns from = known[k].got;
      if (k > 0) from = std::max(from, of.work.own_stream ? known[k - 1].copied : before);
      copied += known[k].copied - from;
      exposed += std::max<Ns>(0, known[k].copied - std::max(from, before));
    }
    CHECK(seen.totals.idle_for_data.count() == for_data);
    CHECK(seen.totals.copy_exposed.count() == exposed);
    CHECK(seen.totals.copying.count() == copied);
  }
}

}  // namespace benchbench::test::device
