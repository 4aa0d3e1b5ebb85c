#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "harness/core/error.h"
#include "harness/core/lock.h"
#include "tests/unit/core/jobs.h"

namespace benchbench::simulated_runtime_test {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using test::run_simulated;
using test::Work;

TEST_CASE(
    "simulated runtime: a wait moves the clock by exactly its time, whichever way it is spent",
    "[unit][core]") {
  const auto runtime = make_simulated_runtime();
  std::vector<TimePoint> times;
  run_simulated(*runtime, [&] {
    for (const Spend how : {Spend::sleep, Spend::spin, Spend::hybrid}) {
      times.push_back(runtime->now());
      runtime->spend(Nanoseconds{12'345'678'901}, how);
    }
    runtime->spend_until(TimePoint{}, Spend::sleep);  // has passed
    times.push_back(runtime->now());
  });
  REQUIRE(times.size() == 4);
  for (std::size_t i = 1; i < times.size(); ++i)
    CHECK(times[i] - times[i - 1] == Nanoseconds{12'345'678'901});
}

TEST_CASE(
    "simulated runtime: fibers that are ready at the "
    "same instant run in the order they became ready",
    "[unit][core]") {
  const auto play = [] {
    const auto runtime = make_simulated_runtime();
    std::string order;
    run_simulated(*runtime, [&] {
      std::vector<std::unique_ptr<Work>> works;
      std::vector<std::unique_ptr<Task>> tasks;
      for (char name = 'a'; name <= 'e'; ++name) {
        works.push_back(std::make_unique<Work>([&order, &runtime, name] {
          order += name;
          runtime->yield();
          order += name;
          // b and d stay, the others go a millisecond on.
          runtime->spend(milliseconds{name % 2}, Spend::sleep);
          order += name;
          runtime->spend_until(TimePoint{milliseconds{7}}, Spend::sleep);
          order += name;
        }));
        tasks.push_back(runtime->spawn(std::string(1, name), *works.back()));
      }
      for (auto& task : tasks) task->join();
    });
    return order;
  };
  CHECK(play() ==
        "abcde"
        "abbcddeace"
        "bdace");
  CHECK(play() == play());
}

TEST_CASE("simulated runtime: an unpark before the park is not lost", "[unit][core]") {
  const auto runtime = make_simulated_runtime();
  bool came = false;
  bool came_again = true;
  run_simulated(*runtime, [&] {
    Waiter waiter;
    runtime->unpark(waiter);
    runtime->unpark(waiter);  // one permit, not two
    came = runtime->park(waiter, kForever);
    came_again = runtime->park(waiter, runtime->now() + milliseconds{3});
  });
  CHECK(came);
  CHECK_FALSE(came_again);
  CHECK(runtime->now() == TimePoint{milliseconds{3}});
}

TEST_CASE("simulated runtime: a park ends at its deadline or at the unpark, whichever is first",
          "[unit][core]") {
  const auto runtime = make_simulated_runtime();
  std::vector<bool> came;
  std::vector<TimePoint> when;
  run_simulated(*runtime, [&] {
    Waiter waiter;
    Work waker([&] {
      runtime->spend_until(TimePoint{milliseconds{5}}, Spend::sleep);
      runtime->unpark(waiter);
    });
    const auto task = runtime->spawn("waker", waker);
    for (const int deadline : {2, 100, 9}) {
      came.push_back(runtime->park(waiter, TimePoint{milliseconds{deadline}}));
      when.push_back(runtime->now());
    }
  });
  CHECK(came == std::vector<bool>{false, true, false});
  CHECK(when == std::vector<TimePoint>{TimePoint{milliseconds{2}}, TimePoint{milliseconds{5}},
                                       TimePoint{milliseconds{9}}});
}

TEST_CASE(
    "simulated runtime: where all wait for ever, "
    "run() says who waits and everybody's destructors have run",
    "[unit][core]") {
  const auto runtime = make_simulated_runtime();
  int destroyed = 0;
  struct Counted {
    int& count;
    ~Counted() { ++count; }
  };
  const auto play = [&] {
    run_simulated(*runtime, [&] {
      Waiter never;
      Work stuck([&] {
        const Counted counted{destroyed};
        Waiter mine;
        runtime->park(mine, kForever);
      });
      const Counted counted{destroyed};
      const auto task = runtime->spawn("worker 3", stuck);
      runtime->spend(milliseconds{2}, Spend::sleep);
      runtime->park(never, kForever);
    });
  };
  CHECK_THROWS_WITH(play(), Catch::Contains("deadlock at 2000000 ns") &&
                                Catch::Contains("'main' is parked") &&
                                Catch::Contains("'worker 3' is parked"));
  CHECK(destroyed == 2);
  run_simulated(*runtime,
                // It can be used again.
                [&] { runtime->spend(milliseconds{1}, Spend::sleep); });
}

TEST_CASE("simulated runtime: a join that never ends is a deadlock too", "[unit][core]") {
  const auto runtime = make_simulated_runtime();
  CHECK_THROWS_WITH(run_simulated(*runtime,
                                  [&] {
                                    Work stuck([&] {
                                      Waiter mine;
                                      runtime->park(mine, kForever);
                                    });
                                    runtime->spawn("stuck", stuck)->join();
                                  }),
                    Catch::Contains("'main' is joining"));
}

TEST_CASE("simulated runtime: what a job throws comes out of join(), and of run() for the first",
          "[unit][core]") {
  const auto runtime = make_simulated_runtime();
  std::string caught;
  const auto play = [&] {
    run_simulated(*runtime, [&] {
      Work bad([&] {
        runtime->spend(milliseconds{1}, Spend::sleep);
        throw PartError("from the fiber");
      });
      const auto task = runtime->spawn("bad", bad);
      try {
        task->join();
      } catch (const PartError& e) {
        caught = e.what();
      }
      throw PartError("from the first");
    });
  };
  CHECK_THROWS_WITH(play(), "from the first");
  CHECK(caught == "from the fiber");
}

TEST_CASE("simulated runtime: fibers may wait inside a catch without mixing up their exceptions",
          "[unit][core]") {
  const auto runtime = make_simulated_runtime();
  std::string seen;
  run_simulated(*runtime, [&] {
    std::vector<std::unique_ptr<Work>> works;
    std::vector<std::unique_ptr<Task>> tasks;
    for (int i = 0; i < 3; ++i) {
      works.push_back(std::make_unique<Work>([&, i] {
        try {
          throw PartError(std::string(1, static_cast<char>('a' + i)));
        } catch (const PartError&) {
          runtime->spend(milliseconds{i + 1}, Spend::sleep);  // the first in is the first out
          try {
            throw;
          } catch (const PartError& e) {
            seen += e.what();
          }
        }
      }));
      tasks.push_back(runtime->spawn("catcher", *works.back()));
    }
  });
  CHECK(seen == "abc");
  CHECK(std::uncaught_exceptions() == 0);
}

TEST_CASE("simulated runtime: a wait outside run() is refused", "[unit][core]") {
  const auto runtime = make_simulated_runtime();
  Waiter waiter;
  CHECK_THROWS_AS(runtime->park(waiter, kForever), PartError);
  CHECK_THROWS_AS(runtime->spend(milliseconds{1}, Spend::sleep), PartError);
}

TEST_CASE("simulated runtime: thousands of fibers come and go on recycled stacks", "[unit][core]") {
  const auto runtime = make_simulated_runtime();
  int ran = 0;
  run_simulated(*runtime, [&] {
    for (int round = 0; round < 2000; ++round) {
      Work work([&] {
        char deep[16384];  // really used, so that a stack shared by two would show
        for (auto& c : deep) c = static_cast<char>(round);
        runtime->spend(microseconds{1}, Spend::sleep);
        int wrong = 0;
        for (const char c : deep) wrong += c != static_cast<char>(round);
        ran += wrong == 0;
      });
      const auto a = runtime->spawn("a", work);
      const auto b = runtime->spawn("b", work);
    }
  });
  CHECK(ran == 4000);
}

TEST_CASE("simulated runtime: a hundred thousand parks with far deadlines do not pile up",
          "[unit][core]") {
  const auto runtime = make_simulated_runtime();
  int woken = 0;
  run_simulated(*runtime, [&] {
    Waiter waiter;
    constexpr int kTimes = 100'000;
    Work waker([&] {
      for (int i = 0; i < kTimes; ++i) {
        runtime->spend(Nanoseconds{10}, Spend::sleep);
        runtime->unpark(waiter);
      }
    });
    const auto task = runtime->spawn("waker", waker);
    for (int i = 0; i < kTimes; ++i)
      woken += runtime->park(waiter, runtime->now() + std::chrono::hours{1});
  });
  CHECK(woken == 100'000);
  CHECK(runtime->now() == TimePoint{milliseconds{1}});
}

}  // namespace benchbench::simulated_runtime_test
