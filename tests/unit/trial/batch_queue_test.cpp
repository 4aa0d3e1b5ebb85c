// Little's law on the queue, by a clock that moves with each reading: a sum that had a reading of
// its own of any event would be off.
#include <array>
#include <catch2/catch.hpp>
#include <utility>
#include <vector>

#include "tests/known_answer/hand_over.h"

namespace benchbench::test::batch_queue {

// Virtual time in which the n-th reading of the clock is n ns later than it would be at once after
// the one before: no two readings are alike, nor as far apart as two others.
class Moving final : public Runtime {
 public:
  explicit Moving(SimulatedRuntime& all) : all_(all) {}
  std::int64_t readings() const noexcept { return readings_; }

  TimePoint now() const noexcept override {
    moved_ += Nanoseconds{++readings_};
    return all_.now() + moved_;
  }
  void spend_until(TimePoint deadline, Spend how) override {
    all_.spend_until(unmoved(deadline), how);
  }
  bool park(Waiter& waiter, TimePoint deadline) override {
    return all_.park(waiter, unmoved(deadline));
  }
  void unpark(Waiter& waiter) override { all_.unpark(waiter); }
  void yield() override { all_.yield(); }
  std::unique_ptr<Task> spawn(std::string_view name, Job& job) override {
    return all_.spawn(name, job);
  }
  Nanoseconds thread_cpu_time() const noexcept override { return Nanoseconds{0}; }
  bool simulated() const noexcept override { return true; }

 private:
  TimePoint unmoved(TimePoint deadline) const noexcept {
    return deadline == kForever ? kForever : deadline - moved_;
  }

  SimulatedRuntime& all_;
  mutable std::int64_t readings_ = 0;
  mutable Nanoseconds moved_{0};
};

struct Slots {
  std::array<RingSlot, 3> slots;
  Slots() {
    for (std::size_t k = 0; k < slots.size(); ++k) slots[k].batch = k;
  }
  RingSlot& operator[](std::size_t k) { return slots[k]; }
};

// How long the batch of a slot stayed, and when it came, in ns.
std::int64_t stay(const RingSlot& slot) { return (slot.got_at - slot.ready_at).count(); }
std::int64_t came(const RingSlot& slot) { return slot.ready_at.time_since_epoch().count(); }

struct Seen {
  QueueFacts queue;
  std::vector<std::int64_t> came, stays;
  bool there_as_they_came = true;
  std::int64_t readings = 0;
};

// Virtual time begins at 0, so that the readings are 1, 3, 6, 10, 15, 21 and 28: the queue's begin,
// three puts, two gets and the end.
Seen two_of_three_got(SimulatedRuntime& all) {
  Moving runtime(all);
  Slots slots;
  BatchQueue queue(runtime, 4, true, true);
  for (std::size_t k = 0; k < 3; ++k) queue.put(slots[k]);
  for (int k = 0; k < 2; ++k) queue.get();
  const TimePoint end = runtime.now();
  Seen seen;
  seen.queue = queue.facts(end);
  for (const RingSlot& slot : slots.slots) {
    seen.came.push_back(came(slot));
    seen.there_as_they_came = seen.there_as_they_came && slot.filled == slot.ready_at;
  }
  seen.stays = {stay(slots[0]), stay(slots[1]), (end - slots[2].ready_at).count()};
  seen.readings = runtime.readings();
  return seen;
}

TEST_CASE("batch queue: one reading of the clock as a batch comes and one as it is got",
          "[unit][trial]") {
  const Seen seen = in_virtual_time(two_of_three_got);
  CHECK(seen.readings == 7);
  CHECK(seen.came == std::vector<std::int64_t>{3, 6, 10});
  CHECK(seen.there_as_they_came);
  CHECK(seen.stays == std::vector<std::int64_t>{12, 15, 18});
  // One batch for 3 ns, two for 4, three for 5, two for 6 and one for 7.
  CHECK(seen.queue.depth_ns == 3 + 8 + 15 + 12 + 7);
  CHECK(seen.queue.depth_ns == 12 + 15 + 18);
  CHECK(seen.queue.seen_ns == 28 - 1);
  CHECK(seen.queue.batches == 3);
  CHECK(seen.queue.deepest == 3);
}

TEST_CASE("batch queue: a batch that comes after its end is in both sums", "[unit][trial]") {
  // The readings: 1 as it begins, 3 and 6 as they come, 10 at the end.
  const auto [depth_ns, stays_ns] = in_virtual_time([](SimulatedRuntime& all) {
    Moving runtime(all);
    Slots slots;
    BatchQueue queue(runtime, 4, false, true);
    queue.put(slots[0]);
    queue.close(nullptr);
    queue.put(slots[1]);
    const TimePoint end = runtime.now();
    return std::pair(queue.facts(end).depth_ns,
                     (end - slots[0].ready_at + (end - slots[1].ready_at)).count());
  });
  CHECK(depth_ns == 3 + 2 * 4);
  CHECK(stays_ns == 7 + 4);
}

TEST_CASE("batch queue: not metered, it reads the clock for a batch of a worker and stamps nothing",
          "[unit][trial]") {
  for (const bool shared : {true, false}) {
    const Seen seen = in_virtual_time([&](SimulatedRuntime& all) {
      Moving runtime(all);
      Slots slots;
      BatchQueue queue(runtime, 4, true, false, shared);
      queue.put(slots[0]);
      queue.get();
      Seen found;
      found.readings = runtime.readings();
      found.came = {came(slots[0])}, found.stays = {stay(slots[0])};
      return found;
    });
    CHECK(seen.readings == (shared ? 1 : 0));
    CHECK(seen.came == std::vector<std::int64_t>{0});
    CHECK(seen.stays == std::vector<std::int64_t>{0});
  }
}

// The stays are the supply's own sum, of the batches got and of those left at the end.
TEST_CASE("batch queue: its depth over time is the stays, whatever passes between two readings",
          "[unit][trial]") {
  for (const std::uint32_t workers : {0u, 1u, 3u})
    for (const bool in_order : {true, false}) {
      INFO(workers << " workers, in order " << in_order);
      const QueueFacts queue = in_virtual_time([&](SimulatedRuntime& all) {
        Moving runtime(all);
        Scene scene(runtime,
                    {.num_workers = workers, .max_jobs = 4, .in_order = in_order, .meters = {}});
        for (int k = 0; k < 50; ++k) scene.supply.get({});
        runtime.spend(std::chrono::milliseconds{1}, Spend::sleep);  // until the queue is full
        scene.supply.stop();
        return scene.supply.queue_facts();
      });
      CHECK(queue.batches == (workers == 0 ? 50u : 54u));
      CHECK(queue.depth_ns > 0);
      CHECK(queue.depth_ns == queue.stay_ns);
    }
}

}  // namespace benchbench::test::batch_queue
