#include "harness/core/lock.h"

#include <catch2/catch.hpp>
#include <deque>
#include <string>
#include <vector>

#include "tests/unit/core/jobs.h"

namespace benchbench::lock_test {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using test::run_simulated;
using test::Work;

// Runs `body(i)` on `count` threads or fibers of the runtime and waits for all.
void run_on(Runtime& runtime, int count, const std::function<void(int)>& body) {
  std::vector<std::unique_ptr<Work>> works;
  std::vector<std::unique_ptr<Task>> tasks;
  for (int i = 0; i < count; ++i) {
    works.push_back(std::make_unique<Work>([&body, i] { body(i); }));
    tasks.push_back(runtime.spawn("worker", *works.back()));
  }
  for (auto& task : tasks) task->join();
}

// A queue as the harness builds them: the smallest thing in which a wake-up can be lost.
struct SmallQueue {
  explicit SmallQueue(Runtime& its_runtime) : runtime(its_runtime), lock(its_runtime) {}
  void put(int value) {
    Guard guard(lock);
    while (values.size() >= 2) room.wait(guard, runtime);
    values.push_back(value);
    filled.wake_one(runtime);
  }
  int get() {
    Guard guard(lock);
    while (values.empty()) filled.wait(guard, runtime);
    const int value = values.front();
    values.pop_front();
    room.wake_one(runtime);
    return value;
  }
  Runtime& runtime;
  Lock lock;
  Waiters room;
  Waiters filled;
  std::deque<int> values;
};

TEST_CASE("lock: what it guards is never touched by two threads", "[unit][core]") {
  for (const auto spin : {Nanoseconds{0}, Nanoseconds{5'000}}) {
    const auto runtime = make_real_runtime(spin);
    Lock lock(*runtime);
    std::uint64_t counter = 0;
    constexpr int kThreads = 6;  // more than most machines under test have cores for
    constexpr int kTimes = 30'000;
    run_on(*runtime, kThreads, [&](int) {
      for (int i = 0; i < kTimes; ++i) {
        const Guard guard(lock);
        ++counter;
      }
    });
    CHECK(counter == kThreads * kTimes);
  }
}

TEST_CASE("lock: no wake-up is lost between threads that put and get", "[unit][core]") {
  for (const auto spin : {Nanoseconds{0}, Nanoseconds{5'000}}) {
    const auto runtime = make_real_runtime(spin);
    SmallQueue queue(*runtime);
    constexpr int kValues = 12'000;
    std::atomic<std::int64_t> sum{0};
    run_on(*runtime, 6, [&](int i) {
      if (i < 3) {
        for (int v = i; v < kValues; v += 3) queue.put(v);
      } else {
        for (int n = 0; n < kValues / 3; ++n) sum += queue.get();
      }
    });
    CHECK(sum == static_cast<std::int64_t>(kValues) * (kValues - 1) / 2);
  }
}

TEST_CASE("lock: a waiter whose deadline meets its wake-up leaves nothing behind", "[unit][core]") {
  const auto runtime = make_real_runtime(Nanoseconds{0});
  Lock lock(*runtime);
  Waiters waiters;
  int waiting = 0;
  bool done = false;
  constexpr int kTimes = 3'000;
  run_on(*runtime, 3, [&](int i) {
    if (i == 0) {
      for (;;) {
        Guard guard(lock);
        if (done && waiting == 0) return;
        waiters.wake_one(*runtime);
        guard.release();
        runtime->yield();
        guard.acquire();
      }
    }
    for (int n = 0; n < kTimes; ++n) {
      Guard guard(lock);
      ++waiting;
      // About when the waker comes round: some end by their deadline, some are woken, some both at
      // once.
      waiters.wait(guard, *runtime, runtime->now() + microseconds{n % 40});
      --waiting;
    }
    const Guard guard(lock);
    done = true;
  });
  CHECK(waiters.empty());
}

TEST_CASE("lock: under the simulated clock one held across a wait makes the others wait, in order",
          "[unit][core]") {
  const auto runtime = make_simulated_runtime();
  std::string order;
  std::vector<TimePoint> times;
  run_simulated(*runtime, [&] {
    Lock lock(*runtime);
    run_on(*runtime, 4, [&](int i) {
      const Guard guard(lock);
      runtime->spend(milliseconds{10}, Spend::sleep);
      order += static_cast<char>('0' + i);
      times.push_back(runtime->now());
    });
  });
  CHECK(order == "0123");
  for (int i = 0; i < 4; ++i) CHECK(times.at(i) == TimePoint{milliseconds{10 * (i + 1)}});
}

TEST_CASE("waiters: a wait ends at its deadline and is no longer listed", "[unit][core]") {
  const auto runtime = make_simulated_runtime();
  bool listed_after = true;
  run_simulated(*runtime, [&] {
    Lock lock(*runtime);
    Waiters waiters;
    Guard guard(lock);
    waiters.wait(guard, *runtime, TimePoint{milliseconds{4}});
    listed_after = !waiters.empty();
    waiters.wake_all(*runtime);
  });
  CHECK_FALSE(listed_after);
  CHECK(runtime->now() == TimePoint{milliseconds{4}});
}

TEST_CASE("waiters: wake_one wakes the one that came first, wake_all every one", "[unit][core]") {
  const auto runtime = make_simulated_runtime();
  std::string order;
  run_simulated(*runtime, [&] {
    Lock lock(*runtime);
    Waiters waiters;
    Work waker([&] {
      runtime->spend(milliseconds{1}, Spend::sleep);
      {
        const Guard guard(lock);
        waiters.wake_one(*runtime);
      }
      runtime->spend(milliseconds{1}, Spend::sleep);
      order += '|';
      const Guard guard(lock);
      waiters.wake_all(*runtime);
    });
    const auto task = runtime->spawn("waker", waker);
    run_on(*runtime, 4, [&](int i) {
      Guard guard(lock);
      waiters.wait(guard, *runtime);
      order += static_cast<char>('0' + i);
    });
  });
  CHECK(order == "0|123");
}

TEST_CASE("waiters: a deadlock through them is told, and the lock is free again", "[unit][core]") {
  const auto runtime = make_simulated_runtime();
  bool taken_again = false;
  const auto play = [&] {
    run_simulated(*runtime, [&] {
      Lock lock(*runtime);
      Waiters waiters;
      try {
        Guard guard(lock);
        waiters.wait(guard, *runtime);
      } catch (const std::exception&) {
        const Guard guard(lock);
        taken_again = waiters.empty();
        throw;
      }
    });
  };
  CHECK_THROWS_WITH(play(), Catch::Contains("deadlock"));
  CHECK(taken_again);
}

}  // namespace benchbench::lock_test
