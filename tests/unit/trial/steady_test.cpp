#include <catch2/catch.hpp>

#include "harness/core/random.h"
#include "harness/series/distribution.h"
#include "harness/trial/warm_up.h"

namespace benchbench::test {
namespace steady {

Nanoseconds ms(double value) { return from_seconds(value * 1e-3); }

StepTrace trace_of(int steps, const std::function<double(int)>& step_ms) {
  StepTrace trace;
  for (int i = 0; i < steps; ++i) trace.add(ms(step_ms(i)));
  return trace;
}

}  // namespace steady
using namespace steady;

TEST_CASE("slope: a line is found whatever the number of steps", "[unit][trial]") {
  for (const int steps : {5, 64, 65, 1000, 4096, 100'000}) {
    INFO(steps << " steps");
    const double last = steps - 1;
    CHECK(trace_of(steps, [&](int i) { return 10 + i / last; }).slope_share() ==
          Approx(1 / 10.5).epsilon(0.05));
    CHECK(trace_of(steps, [&](int i) { return 10 - i / last; }).slope_share() ==
          Approx(-1 / 9.5).epsilon(0.05));
    CHECK(trace_of(steps, [](int) { return 10.0; }).slope_share() == 0);
  }
}

TEST_CASE("slope: noise is none, in 19 of 20 series", "[unit][trial]") {
  for (const int steps : {3, 5, 10, 300}) {
    int proven = 0;
    for (std::uint64_t seed = 0; seed < 2000; ++seed) {
      Random random(mix_seed(seed, 4));
      proven += trace_of(steps, [&](int) { return 10 + random.normal(); }).slope_share() != 0;
    }
    INFO(steps << " steps");
    CHECK(proven / 2000.0 == Approx(0.05).margin(0.02));
  }
}

TEST_CASE("slope: of a thousand noisy series one has a sure one", "[unit][trial]") {
  for (const int steps : {3, 5, 10, 300}) {
    int likely = 0, sure = 0;
    for (std::uint64_t seed = 0; seed < 4000; ++seed) {
      Random random(mix_seed(seed, 7));
      const StepTrace trace = trace_of(steps, [&](int) { return 10 + random.normal(); });
      likely += trace.slope_share() != 0;
      sure += trace.slope_share(Certainty::sure) != 0;
    }
    INFO(steps << " steps");
    CHECK(likely > 100);
    CHECK(sure <= 14);
  }
}

TEST_CASE("slope: a 20 % drift is sure from a few steps on", "[unit][trial]") {
  const double noise[] = {0.05, -0.05, 0, -0.05, 0.05};
  for (const int steps : {5, 8, 40}) {
    INFO(steps << " steps");
    CHECK(trace_of(steps, [&](int i) {
            return 10 + 2.0 * i / (steps - 1) + 0.2 * noise[i % 5];
          }).slope_share(Certainty::sure) == Approx(2 / 11.0).epsilon(0.05));
  }
}

TEST_CASE("slope: a 20 % drift shows through 5 % of noise", "[unit][trial]") {
  int proven = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(mix_seed(seed, 5));
    proven += trace_of(40, [&](int i) {
                return 10 + 2.0 * i / 39 + 0.5 * random.normal();
              }).slope_share() > 0.05;
  }
  CHECK(proven > 190);
}

TEST_CASE("slope: a machine that stalls a few late steps has not drifted", "[unit][trial]") {
  Random random(6);
  const StepTrace trace = trace_of(40, [&](int i) {
    return 10 + 0.1 * random.normal() + (i == 30 || i == 36 || i == 38 ? 80 : 0);
  });
  CHECK(trace.slope_share() == 0);
}

TEST_CASE("warm-up: ends as soon as steps are level, past those the first fill fed",
          "[unit][trial]") {
  WarmUp warm({.fixed = {}, .window = ms(1000), .cap = {}, .prefetched = 4});
  int steps = 1;
  while (!warm.done_after(ms(10))) ++steps;
  CHECK(steps == 4 + 25);  // a quarter of a window of 10 ms steps
  CHECK(warm.steady());
}

TEST_CASE("warm-up: a trainer's first steps are over, however long they and the warm-up are",
          "[unit][trial]") {
  const auto count = [](WarmUpLimits limits) {
    limits.window = ms(2000);
    limits.prefetched = 2;
    limits.least = 13;
    WarmUp warm(limits);
    int steps = 1;
    while (!warm.done_after(ms(300))) ++steps;
    return steps;
  };
  CHECK(count({}) == 13 + 3);  // three level steps after them
  CHECK(count({.fixed = ms(100)}) == 13);
  CHECK(count({.cap = ms(600)}) == 13);
}

TEST_CASE("warm-up: long steps need three", "[unit][trial]") {
  WarmUp warm({.fixed = {}, .window = ms(1000), .cap = {}, .prefetched = 1});
  int steps = 1;
  while (!warm.done_after(ms(900))) ++steps;
  CHECK(steps == 4);
}

TEST_CASE("warm-up: steps that keep getting faster end at the cap, not steady", "[unit][trial]") {
  WarmUp warm({.fixed = {}, .window = ms(1000), .cap = {}, .prefetched = 1});
  double step = 100;
  while (!warm.done_after(ms(step))) step *= 0.97;
  CHECK_FALSE(warm.steady());
  CHECK(warm.time() >= ms(2000));
  CHECK(warm.steps() >= 10);
}

TEST_CASE("warm-up: the cap counts from the first step that is looked at", "[unit][trial]") {
  // Steps on batches made ahead last longer than 2 windows and are more than 10.
  WarmUp level({.fixed = {}, .window = ms(1000), .cap = {}, .prefetched = 16});
  int steps = 1;
  while (!level.done_after(ms(200))) ++steps;
  CHECK(level.steady());
  CHECK(steps == 16 + 3);
  WarmUp falling({.fixed = {}, .window = ms(1000), .cap = {}, .prefetched = 16});
  double step = 200;
  for (steps = 1; steps < 1000 && !falling.done_after(ms(step)); ++steps) step *= 0.97;
  CHECK_FALSE(falling.steady());
  CHECK(steps > 16 + 10);
  CHECK(steps < 1000);
}

// Four batches arrive every 400 ms: the first is waited for, and the others are there.
TEST_CASE("warm-up: batches that arrive in bursts are looked at a burst at a time",
          "[unit][trial]") {
  WarmUp bursts({.fixed = {}, .window = ms(1000), .cap = {}, .prefetched = 8, .burst = 4});
  int steps = 1;
  while (!bursts.done_after(ms(steps % 4 == 1 ? 400 : 0))) ++steps;
  CHECK(bursts.steady());
  CHECK(steps == 8 + 3 * 4);
}

TEST_CASE("warm-up: its cap leaves room for three bursts, however long they are", "[unit][trial]") {
  WarmUp bursts({.fixed = {}, .window = ms(100), .cap = {}, .prefetched = 16, .burst = 8});
  int steps = 1;
  while (!bursts.done_after(ms(steps % 8 == 1 ? 100 : 0))) ++steps;
  CHECK(bursts.steady());
  CHECK(steps == 16 + 3 * 8);
}

TEST_CASE("warm-up: a cap of its own, and a fixed length", "[unit][trial]") {
  WarmUp capped({.fixed = {}, .window = ms(1000), .cap = ms(50), .prefetched = 100});
  int steps = 1;
  while (!capped.done_after(ms(10))) ++steps;
  CHECK(steps == 5);
  CHECK_FALSE(capped.steady());
  WarmUp fixed({.fixed = ms(30), .window = ms(1000), .cap = {}, .prefetched = 100});
  for (steps = 1; !fixed.done_after(ms(10));) ++steps;
  CHECK(steps == 3);
  CHECK(fixed.steady());
}

TEST_CASE("distribution: percentiles by the nearest rank", "[unit][trial]") {
  std::vector<std::int64_t> values;
  for (int i = 100; i >= 1; --i) values.push_back(i);
  const Distribution d = distribution_of(values);
  CHECK(d.n == 100);
  CHECK(d.mean == 50.5);
  CHECK(d.p50 == 50);
  CHECK(d.p90 == 90);
  CHECK(d.p99 == 99);
  CHECK(d.max == 100);
  CHECK(distribution_of({7}).p50 == 7);
  CHECK(distribution_of({7}).max == 7);
  CHECK(distribution_of({}).n == 0);
  CHECK(distribution_of({3, 1, 2, 10, 9, 8, 7, 6, 5, 4}).p90 == 9);
}

}  // namespace benchbench::test
