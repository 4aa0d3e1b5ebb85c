#include "harness/core/barrier.h"

#include <catch2/catch.hpp>
#include <vector>

#include "tests/unit/core/jobs.h"

namespace benchbench::barrier_test {

using std::chrono::milliseconds;
using test::run_simulated;
using test::Work;

void meet_on(Runtime& runtime, std::uint32_t count,
             const std::function<void(std::uint32_t)>& body) {
  std::vector<std::unique_ptr<Work>> works;
  std::vector<std::unique_ptr<Task>> tasks;
  for (std::uint32_t i = 0; i < count; ++i) {
    works.push_back(std::make_unique<Work>([&body, i] { body(i); }));
    tasks.push_back(runtime.spawn("rank", *works.back()));
  }
  for (auto& task : tasks) task->join();
}

TEST_CASE("barrier: a round takes as long as its slowest, and nobody is a round ahead",
          "[unit][core]") {
  const auto runtime = make_simulated_runtime();
  std::vector<std::int64_t> left;
  run_simulated(*runtime, [&] {
    Barrier barrier(*runtime, 3);
    meet_on(*runtime, 3, [&](std::uint32_t rank) {
      for (std::uint32_t round = 0; round < 4; ++round) {
        runtime->spend(milliseconds{1 + (rank + round) % 3}, Spend::sleep);
        barrier.arrive_and_wait();
        left.push_back(runtime->now().time_since_epoch() / milliseconds{1});
      }
    });
  });
  CHECK(left == std::vector<std::int64_t>{3, 3, 3, 6, 6, 6, 9, 9, 9, 12, 12, 12});
}

TEST_CASE("barrier: one party never waits", "[unit][core]") {
  const auto runtime = make_real_runtime();
  Barrier barrier(*runtime, 1);
  for (int i = 0; i < 3; ++i) CHECK(barrier.arrive_and_wait());
}

TEST_CASE("barrier: real threads, none enters a round before all have left the one before",
          "[unit][core]") {
  for (const auto spin : {Nanoseconds{0}, Nanoseconds{5'000}}) {
    const auto runtime = make_real_runtime(spin);
    constexpr std::uint32_t kThreads = 4;
    constexpr std::uint64_t kRounds = 3'000;
    Barrier barrier(*runtime, kThreads);
    std::atomic<std::uint64_t> arrivals{0}, early{0};
    meet_on(*runtime, kThreads, [&](std::uint32_t) {
      for (std::uint64_t round = 1; round <= kRounds; ++round) {
        ++arrivals;
        barrier.arrive_and_wait();
        early += arrivals < round * kThreads;
      }
    });
    CHECK(arrivals == kRounds * kThreads);
    CHECK(early == 0);
  }
}

TEST_CASE("barrier: closing it ends those that wait and those that come", "[unit][core]") {
  const auto runtime = make_simulated_runtime();
  int told = 0;
  run_simulated(*runtime, [&] {
    Barrier barrier(*runtime, 3);
    meet_on(*runtime, 3, [&](std::uint32_t rank) {
      if (rank == 2) {
        runtime->spend(milliseconds{5}, Spend::sleep);
        barrier.close();
      }
      told += !barrier.arrive_and_wait();
    });
  });
  CHECK(told == 3);
  CHECK(runtime->now() == TimePoint{milliseconds{5}});
}

}  // namespace benchbench::barrier_test
