#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "harness/core/error.h"
#include "harness/core/random.h"
#include "tests/unit/core/jobs.h"

namespace benchbench::real_runtime_test {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using test::Work;

constexpr Nanoseconds kSpins[] = {Nanoseconds{0}, Nanoseconds{5'000}, Nanoseconds{50'000}};

TEST_CASE("real runtime: an unpark before the park is not lost, and two are one", "[unit][core]") {
  for (const Nanoseconds spin : kSpins) {
    const auto runtime = make_real_runtime(spin);
    Waiter waiter;
    runtime->unpark(waiter);
    runtime->unpark(waiter);
    CHECK(runtime->park(waiter, kForever));
    CHECK_FALSE(runtime->park(waiter, runtime->now() + microseconds{200}));
  }
}

TEST_CASE("real runtime: two threads hand a permit to and fro without losing one", "[unit][core]") {
  for (const Nanoseconds spin : kSpins) {
    const auto runtime = make_real_runtime(spin);
    Waiter here;
    Waiter there;
    constexpr int kTimes = 10'000;
    int answered = 0;
    Work echo([&] {
      for (int i = 0; i < kTimes; ++i) {
        runtime->park(there, kForever);
        runtime->unpark(here);
      }
    });
    const auto task = runtime->spawn("echo", echo);
    for (int i = 0; i < kTimes; ++i) {
      runtime->unpark(there);
      answered += runtime->park(here, kForever);
    }
    task->join();
    CHECK(answered == kTimes);
  }
}

TEST_CASE(
    "real runtime: a permit that comes about when the deadline does is had or kept, never lost",
    "[unit][core]") {
  const auto runtime = make_real_runtime(Nanoseconds{0});
  Waiter waiter;
  constexpr int kTimes = 3'000;
  std::atomic<int> given{0};
  Work giver([&] {
    Random random(5);
    for (int i = 0; i < kTimes; ++i) {
      runtime->spend(Nanoseconds{static_cast<std::int64_t>(random.below(60'000))}, Spend::spin);
      runtime->unpark(waiter);
      given.store(i + 1);
    }
  });
  const auto task = runtime->spawn("giver", giver);
  int taken = 0;
  while (given.load() < kTimes) taken += runtime->park(waiter, runtime->now() + microseconds{30});
  task->join();
  taken += runtime->park(waiter, runtime->now());
  CHECK(taken > 0);
  CHECK(taken <= kTimes);  // fewer where two came before one park
  CHECK_FALSE(runtime->park(waiter, runtime->now() + microseconds{10}));  // none is left over
}

TEST_CASE(
    "real runtime: no timed wait ends before its deadline, and a passed deadline costs nothing",
    "[unit][core]") {
  const auto runtime = make_real_runtime();
  for (const Spend how : {Spend::sleep, Spend::spin, Spend::hybrid}) {
    for (const auto time :
         {Nanoseconds{0}, Nanoseconds{700}, Nanoseconds{50'000}, Nanoseconds{1'200'000}}) {
      const TimePoint deadline = runtime->now() + time;
      runtime->spend_until(deadline, how);
      CHECK(runtime->now() >= deadline);
    }
    const Nanoseconds before = runtime->thread_cpu_time();
    runtime->spend_until(TimePoint{}, how);
    runtime->spend_until(runtime->now() - milliseconds{5}, how);
    CHECK(runtime->thread_cpu_time() - before < milliseconds{5});
  }
}

TEST_CASE(
    "real runtime: of the same wait, spinning burns the most processor and sleeping the least",
    "[unit][core]") {
  const auto runtime = make_real_runtime();
  std::vector<Nanoseconds> burnt;
  for (const Spend how : {Spend::sleep, Spend::hybrid, Spend::spin}) {
    const Nanoseconds before = runtime->thread_cpu_time();
    for (int i = 0; i < 5; ++i) runtime->spend(milliseconds{4}, how);
    burnt.push_back(runtime->thread_cpu_time() - before);
  }
  CHECK(burnt[0] < burnt[2]);
  CHECK(burnt[1] < burnt[2]);
}

TEST_CASE("real runtime: a thread's processor time can be read while it runs and after its join",
          "[unit][core]") {
  const auto runtime = make_real_runtime();
  Waiter stop;
  std::atomic<bool> worked{false};
  Work work([&] {
    const Nanoseconds before = runtime->thread_cpu_time();
    while (runtime->thread_cpu_time() - before < milliseconds{3}) {
    }
    worked = true;
    runtime->park(stop, kForever);
  });
  const auto task = runtime->spawn("works a little and has a long name", work);
  while (!worked) runtime->yield();
  const Nanoseconds during = task->cpu_time();
  CHECK(during >= milliseconds{3});
  runtime->unpark(stop);
  task->join();
  CHECK(task->cpu_time() >= during);
  CHECK(task->cpu_time() == task->cpu_time());
}

TEST_CASE("real runtime: what a job throws comes out of join(), once", "[unit][core]") {
  const auto runtime = make_real_runtime();
  Work bad([] { throw PartError("from the thread"); });
  const auto task = runtime->spawn("bad", bad);
  CHECK_THROWS_WITH(task->join(), "from the thread");
  task->join();
  const auto never_joined = runtime->spawn("bad", bad);  // its end joins, and does not throw
}

TEST_CASE("real runtime: its clock goes forward and is not simulated", "[unit][core]") {
  const auto runtime = make_real_runtime();
  CHECK_FALSE(runtime->simulated());
  TimePoint last = runtime->now();
  for (int i = 0; i < 1000; ++i) {
    const TimePoint now = runtime->now();
    REQUIRE(now >= last);
    last = now;
  }
}

}  // namespace benchbench::real_runtime_test
