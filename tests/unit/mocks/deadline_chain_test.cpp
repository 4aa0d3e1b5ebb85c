#include <catch2/catch.hpp>
#include <cmath>

#include "mocks/deadline_chain.h"

namespace benchbench::deadline_chain_test {

// A clock that stands where the test puts it; every wait ends `late` after its deadline.
class LateRuntime : public Runtime {
 public:
  TimePoint now() const noexcept override { return time; }
  void spend_until(TimePoint deadline, Spend) override { time = std::max(time, deadline + late); }
  bool park(Waiter&, TimePoint) override { return false; }
  void unpark(Waiter&) override {}
  void yield() override {}
  std::unique_ptr<Task> spawn(std::string_view, Job&) override { return nullptr; }
  Nanoseconds thread_cpu_time() const noexcept override { return Nanoseconds{0}; }
  bool simulated() const noexcept override { return false; }
  TimePoint time{};
  Nanoseconds late{0};
};

constexpr Nanoseconds us(std::int64_t n) { return Nanoseconds{n * 1000}; }

// The time a chain ends at after `batches` of 1 ms with 20 us of hand-over between two and every
// wait 30 us late.
std::int64_t end_of(int batches, bool issued_known) {
  LateRuntime runtime;
  runtime.late = us(30);
  DeadlineChain chain(runtime, Spend::hybrid);
  for (int b = 0; b < batches; ++b) {
    chain.begin(runtime.now(), issued_known ? TimePoint{} : kNotKnown, us(1000));
    chain.spend(us(400));
    chain.spend(us(600));
    runtime.time += us(20);
  }
  return runtime.time.time_since_epoch().count() / 1000;
}

TEST_CASE(
    "deadline chain: neither lateness nor the hand-over add up where the next ticket was there",
    "[unit][mocks]") {
  CHECK(end_of(100, true) == 100 * 1000 + 50);
  CHECK(end_of(100, false) == 100 * 1050);  // where nobody knows, each counts from its call
}

TEST_CASE("deadline chain: entered counts from the call, so that all between two calls is added",
          "[unit][mocks]") {
  LateRuntime runtime;
  DeadlineChain chain(runtime, Spend::hybrid, Pace::entered);
  for (int b = 0; b < 100; ++b) {
    chain.begin(runtime.now(), TimePoint{}, us(1000));
    chain.spend(us(1000));
    runtime.time += us(300);
  }
  CHECK(runtime.time == TimePoint{us(100 * 1300)});
}

TEST_CASE("deadline chain: time without a ticket is not made good", "[unit][mocks]") {
  LateRuntime runtime;
  DeadlineChain chain(runtime, Spend::hybrid);
  chain.begin(runtime.now(), TimePoint{}, us(1000));
  chain.spend(us(1000));
  runtime.time += us(700);  // the request came 500 us after the end, and waking up took 200
  chain.begin(runtime.now(), TimePoint{us(1500)}, us(1000));
  CHECK(chain.at() == TimePoint{us(1500)});
  chain.spend(us(1000));
  CHECK(runtime.time == TimePoint{us(2500)});
}

TEST_CASE("deadline chain: what it is behind by has a bound, and it never begins in the future",
          "[unit][mocks]") {
  LateRuntime runtime;
  DeadlineChain chain(runtime, Spend::hybrid);
  runtime.time = TimePoint{us(100'000)};
  chain.begin(runtime.now(), TimePoint{}, us(1000));
  CHECK(chain.at() == TimePoint{us(95'000)});
  chain.begin(runtime.now(), TimePoint{}, us(20'000));
  CHECK(chain.at() == TimePoint{us(95'000)});  // not back from where it was
  runtime.time = TimePoint{us(300'000)};
  chain.begin(runtime.now(), TimePoint{}, us(20'000));
  CHECK(chain.at() == TimePoint{us(280'000)});
  chain.begin(runtime.now(), TimePoint{us(400'000)}, us(1000));
  CHECK(chain.at() == TimePoint{us(300'000)});
}

TEST_CASE(
    "deadline chain: it took what it was late by once where that was made good, "
    "each time where it was not",
    "[unit][mocks]") {
  for (const bool issued_known : {true, false}) {
    INFO(issued_known);
    LateRuntime runtime;
    runtime.late = us(30);
    DeadlineChain chain(runtime, Spend::hybrid);
    for (int b = 0; b < 100; ++b) {
      chain.begin(runtime.now(), issued_known ? TimePoint{} : kNotKnown, us(1000));
      chain.spend(us(400));
      chain.spend(us(600));
      chain.end_piece();
      runtime.time += us(20);  // handing over is no part of it
    }
    CHECK(chain.time().asked == us(100 * 1000));
    CHECK(chain.time().taken == us(100 * 1000 + (issued_known ? 30 : 100 * 30)));
    CHECK(chain.time().pieces == 100);
  }
}

TEST_CASE("deadline chain: a core too slow shows, beyond what may be made good", "[unit][mocks]") {
  LateRuntime runtime;
  DeadlineChain chain(runtime, Spend::hybrid);
  for (int b = 0; b < 1000; ++b) {
    const TimePoint begun = runtime.now();
    chain.begin(begun, TimePoint{}, us(1000));
    chain.spend(us(1000));
    runtime.time = std::max(runtime.time, begun + us(1300));  // never under 1.3 ms
    chain.end_piece();
  }
  CHECK(chain.time().asked == us(1'000'000));
  CHECK(chain.time().taken == us(1'300'000));
  CHECK(chain.time().fidelity() == Approx(1.3));
}

TEST_CASE(
    "deadline chain: what else is waited for is neither asked for nor taken, and more may be asked",
    "[unit][mocks]") {
  LateRuntime runtime;
  DeadlineChain chain(runtime, Spend::hybrid);
  chain.begin(runtime.now(), kNotKnown, us(1000));
  chain.spend(us(1000));
  runtime.time += us(5000);  // a store
  chain.go_on_now();
  chain.ask_more(us(200));  // a lock held
  chain.spend(us(200));
  chain.end_piece(false);  // the rest of a batch
  CHECK(chain.time().asked == us(1200));
  CHECK(chain.time().taken == us(1200));
  CHECK(chain.time().pieces == 0);
  CHECK(std::isnan(MockTime{}.fidelity()));
}

}  // namespace benchbench::deadline_chain_test
