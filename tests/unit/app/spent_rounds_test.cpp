#include "harness/app/wrap/schedule/spent_rounds.h"

#include <catch2/catch.hpp>

namespace benchbench {
namespace spent_rounds_test {

using namespace std::chrono_literals;

// A stretch that is counted for `counted` from `begin` on.
WrapStretch stretch_at(Nanoseconds begin, Nanoseconds counted, Nanoseconds warmup = 0ns) {
  WrapStretch stretch;
  stretch.result.segments = {{begin.count(), (begin + counted).count()}};
  stretch.result.warmup_ns = warmup.count();
  return stretch;
}

// In each round F and L take 4 s, T 2 s, and 2 s pass in between; a validation of 6 s comes once.
SpentRounds two_rounds() {
  SpentRounds spent;
  Nanoseconds at = 100s;
  for (std::uint32_t round = 0; round < 2; ++round)
    for (const Nanoseconds counted : {4s, 2s, 4s}) {
      spent.ask({WrapKind::full, 4s, 16, round, 0}, 10ms);
      spent.add(stretch_at(at, counted, 1s));
      at += counted + 1s;
      if (round == 0 && counted == 2s) at += 6s;
    }
  return spent;
}

TEST_CASE("spent rounds: a round costs what those before did, with all in between",
          "[unit][app][wrap]") {
  const SpentRounds spent = two_rounds();
  CHECK(spent.in_all() == 32s);  // 20 s counted, 5 s between them, 6 s, 1 s before
  CHECK(spent.expect_round(4s) == 16s);
  CHECK(spent.expect_round(2s) == 11s);
}

TEST_CASE("spent rounds: the length that fits is that which takes as long", "[unit][app][wrap]") {
  const SpentRounds spent = two_rounds();
  CHECK(spent.fit_stretch(16s) == 4s);
  CHECK(spent.fit_stretch(11s) == 2s);
  CHECK(spent.fit_stretch(5s) < 0s);
}

TEST_CASE("spent rounds: a stretch that is asked for in batches has their time",
          "[unit][app][wrap]") {
  SpentRounds spent;
  spent.ask({WrapKind::trainer, 100ms, 200, 0, 0}, 10ms);
  spent.add(stretch_at(0s, 1s));
  CHECK(spent.in_all() == 1s);
  CHECK(spent.expect_round(2s) == 1s);
}

TEST_CASE("spent rounds: nothing took any time before the first", "[unit][app][wrap]") {
  SpentRounds spent;
  CHECK(spent.in_all() == 0s);
  spent.add({});
  CHECK(spent.in_all() == 0s);
}

}  // namespace spent_rounds_test
}  // namespace benchbench
