// What kind of a window it was, and its stalls, on series whose answer is known.
#include <catch2/catch.hpp>
#include <cmath>
#include <functional>

#include "harness/core/random.h"
#include "harness/series/pace.h"
#include "harness/series/periods.h"
#include "harness/series/stalls.h"
#include "harness/series/steadiness.h"
#include "tests/sweep.h"
#include "tests/unit/trial/trial_of_mocks.h"

namespace benchbench::test {
namespace shape {

constexpr double kLimit = 0.05;
using Steps = std::vector<std::int64_t>;

Steps steps_of(std::size_t n, const std::function<double(std::size_t)>& ms) {
  Steps steps(n);
  for (std::size_t i = 0; i < n; ++i) steps[i] = std::llround(std::max(0.01, ms(i)) * 1e6);
  return steps;
}

// The percentage of series, one a seed, that are of that kind and, where one is given, have that
// period.
double of_kind(SteadinessKind kind, const std::function<Steps(Random&)>& series, double period = 0,
               std::uint64_t seeds = 100) {
  std::uint64_t found = 0;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    Random random(mix_seed(seed, 21));
    const Steadiness s = steadiness_of(series(random), kLimit);
    found += s.kind == kind && s.period_steps == period;
  }
  return 100.0 * static_cast<double>(found) / static_cast<double>(seeds);
}

constexpr std::size_t kLengths[] = {100, 1000, 20'000};

// Long series are as slow to make as they are sure: the sample has a fifth of their seeds.
double of_kind_at(std::size_t length, SteadinessKind kind,
                  const std::function<Steps(Random&)>& series) {
  return of_kind(kind, series, 0, length > 1000 ? sweep_size(20, 100) : 100);
}

}  // namespace shape
using namespace shape;

TEST_CASE("steadiness: noise around a level is steady", "[unit][trial]") {
  for (const std::size_t n : kLengths) {
    INFO(n << " steps");
    for (const double noise : {0.0, 0.01, 0.05, 0.3}) {
      INFO("noise " << noise);
      CHECK(of_kind_at(n, SteadinessKind::steady, [&](Random& r) {
              return steps_of(n, [&](std::size_t) { return 10 * (1 + noise * r.normal()); });
            }) >= 95);
    }
    CHECK(of_kind_at(n, SteadinessKind::steady, [&](Random& r) {
            return steps_of(n, [&](std::size_t) { return 10 * std::exp(r.normal()); });
          }) >= 95);
    CHECK(of_kind_at(n, SteadinessKind::steady, [&](Random& r) {
            return steps_of(n, [&](std::size_t) { return r.exponential(10); });
          }) >= 95);
  }
}

TEST_CASE("steadiness: single steps that the machine stalled leave it steady", "[unit][trial]") {
  CHECK(of_kind(SteadinessKind::steady, [](Random& r) {
          return steps_of(1000, [&](std::size_t) {
            return 10 * (1 + 0.02 * r.normal()) + (r.uniform() < 0.01 ? 100 * r.uniform() : 0);
          });
        }) >= 95);
}

TEST_CASE("steadiness: a slope of 10 % is found, one of 1 % is none", "[unit][trial]") {
  for (const std::size_t n : kLengths)
    for (const double noise : {0.0, 0.01, 0.05}) {
      INFO(n << " steps, noise " << noise);
      const auto sloping = [&](double share) {
        return [&, share](Random& r) {
          return steps_of(n, [&](std::size_t i) {
            const double at = static_cast<double>(i) / static_cast<double>(n);
            return 10 * (1 + share * at) * (1 + noise * r.normal());
          });
        };
      };
      CHECK(of_kind_at(n, SteadinessKind::slope, sloping(0.10)) >=
            (n == 100 && noise == 0.05 ? 70 : 95));
      CHECK(of_kind_at(n, SteadinessKind::slope, sloping(-0.15)) >= 90);
      CHECK(of_kind_at(n, SteadinessKind::steady, sloping(0.01)) >= 95);
    }
}

TEST_CASE("steadiness: every k-th step that stalls is found with its period", "[unit][trial]") {
  for (const std::size_t k : {5u, 10u, 50u})
    for (const double stall : {0.5, 3.0, 30.0}) {
      INFO("every " << k << " steps, " << stall << " times the step more");
      CHECK(of_kind(
                SteadinessKind::periodic,
                [&](Random& r) {
                  return steps_of(500, [&](std::size_t i) {
                    return 10 * (1 + 0.02 * r.normal() + (i % k == k / 2 ? stall : 0));
                  });
                },
                static_cast<double>(k)) >= 95);
    }
}

TEST_CASE("steadiness: a short cycle is found though no step stands out", "[unit][trial]") {
  for (const std::size_t k : {2u, 3u, 4u, 8u}) {
    INFO("every " << k);
    CHECK(of_kind(
              SteadinessKind::periodic,
              [&](Random& r) {
                return steps_of(400, [&](std::size_t i) {
                  return 10 * (1 + 0.02 * r.normal() + (i % k < (k + 1) / 2 ? 0.2 : 0));
                });
              },
              static_cast<double>(k)) >= 95);
  }
}

TEST_CASE("steadiness: a change of level and a random walk are unsteady", "[unit][trial]") {
  for (const std::size_t n : {400u, 2000u})
    for (const double at : {0.25, 0.5, 0.8}) {
      INFO(n << " steps, at " << at);
      CHECK(of_kind(SteadinessKind::unsteady, [&](Random& r) {
              return steps_of(n, [&](std::size_t i) {
                return (static_cast<double>(i) < at * static_cast<double>(n) ? 10 : 13) *
                       (1 + 0.02 * r.normal());
              });
            }) >= 95);
    }
  CHECK(of_kind(SteadinessKind::steady, [](Random& r) {
          double level = 10;
          return steps_of(1000, [&](std::size_t) { return level += 0.1 * r.normal(); });
        }) <= 5);
  // Some walks go straight.
  CHECK(of_kind(SteadinessKind::unsteady, [](Random& r) {
          double level = 100;
          return steps_of(1000, [&](std::size_t) { return level += r.normal(); });
        }) >= 80);
}

TEST_CASE("steadiness: too few steps say nothing", "[unit][trial]") {
  CHECK(steadiness_of(Steps(kMinForSteadiness - 1, 10), kLimit).kind == SteadinessKind::unknown);
  CHECK(steadiness_of({}, kLimit).kind == SteadinessKind::unknown);
  CHECK(steadiness_of(Steps(kMinForSteadiness, 10), kLimit).kind == SteadinessKind::steady);
  CHECK(steadiness_of(Steps(100, 0), kLimit).kind == SteadinessKind::steady);
}

TEST_CASE("period: random positions have none", "[unit][trial]") {
  for (const double share : {0.004, 0.01, 0.05, 0.2}) {
    int found = 0;
    for (std::uint64_t seed = 0; seed < 500; ++seed) {
      Random random(mix_seed(seed, 22));
      std::vector<std::uint64_t> positions;
      for (std::uint64_t i = 0; i < 1000; ++i)
        if (random.uniform() < share) positions.push_back(i);
      found += period_of(positions, 1000) > 0;
    }
    INFO("share " << share);
    CHECK(found <= 5);
  }
}

TEST_CASE("period: through strays, gaps and a clock that drifts", "[unit][trial]") {
  Random random(5);
  std::vector<std::uint64_t> positions;
  for (std::uint64_t i = 17; i < 3000; i += 100)
    if (i != 717 && i != 1417) positions.push_back(i);
  for (int i = 0; i < 10; ++i) positions.push_back(random.below(3000));
  std::sort(positions.begin(), positions.end());
  CHECK(period_of(positions, 3000) == 100);
  std::vector<std::uint64_t> by_the_clock;
  for (double at = 30; at < 5000; at += 201.3 + 2 * random.normal())
    by_the_clock.push_back(static_cast<std::uint64_t>(at));
  CHECK(period_of(by_the_clock, 5000) == Approx(201.3).epsilon(0.01));
}

TEST_CASE("stalls: told with time, cause and period", "[unit][trial]") {
  StepSeries series;
  std::int64_t now = 0;
  for (std::size_t i = 0; i < 1000; ++i) {
    const std::int64_t checkpoint = i % 100 == 99 ? 80'000'000 : 0;
    const std::int64_t get = i == 333 ? 50'000'000 : 1'000;
    const std::int64_t post = i == 555 ? 60'000'000 : 500'000;
    const std::int64_t step =
        i == 777 ? 90'000'000 : 10'000'000 + static_cast<std::int64_t>(i % 7) * 10'000;
    now += get + step + post + checkpoint;
    series.get_blocked.push_back(get);
    series.step.push_back(step);
    series.after.push_back(post + checkpoint);
    series.checkpoint.push_back(checkpoint);
    series.end.push_back(now);
  }
  const StallFacts f = stalls_of(series);
  CHECK(f.count == 12);  // the last checkpoint is in the window's last step
  REQUIRE(f.longest.size() == 12);
  CHECK(f.period_steps == 100);
  const auto at = [&](std::uint64_t step) -> const Stall& {
    return *std::find_if(f.longest.begin(), f.longest.end(),
                         [&](const Stall& s) { return s.step == step; });
  };
  CHECK(at(99).cause == StallCause::checkpoint);
  CHECK(at(333).cause == StallCause::get_blocked);
  CHECK(at(555).cause == StallCause::postprocess);
  CHECK(at(777).cause == StallCause::step);
  CHECK(at(333).at_ns == series.end[332]);
  CHECK(static_cast<double>(at(99).ns) == Approx(80e6).epsilon(0.001));
  std::int64_t sum = 0;
  for (const Stall& s : f.longest) sum += s.ns;
  CHECK(sum == f.total_ns);
  CHECK(std::is_sorted(f.longest.begin(), f.longest.end(),
                       [](const Stall& a, const Stall& b) { return a.at_ns < b.at_ns; }));
}

TEST_CASE("stalls: a thread that waits long for a core is one, with that cause", "[unit][trial]") {
  StepSeries series;
  std::int64_t now = 0;
  for (std::size_t i = 0; i < 200; ++i) {
    series.get_blocked.push_back(1'000);
    series.step.push_back(10'000'000);
    series.core_wait.push_back(i == 120 ? 40'000'000 : 5'000);
    series.end.push_back(now += 10'001'000 + series.core_wait.back());
  }
  CHECK(whole_steps(series)[120] == 50'001'000);
  const StallFacts f = stalls_of(series);
  REQUIRE(f.longest.size() == 1);
  CHECK(f.longest[0].step == 120);
  CHECK(f.longest[0].cause == StallCause::core_wait);
  CHECK(f.longest[0].ns == 39'995'000);
  CHECK(f.longest[0].at_ns == series.end[119]);
}

TEST_CASE("stalls: noise has none, and the longest 32 of many are named", "[unit][trial]") {
  StepSeries calm, many;
  Random random(8);
  std::int64_t now = 0;
  for (std::size_t i = 0; i < 2000; ++i) {
    calm.get_blocked.push_back(0);
    calm.step.push_back(std::llround(1e7 * (1 + 0.2 * random.normal())));
    calm.end.push_back(now += calm.step.back());
    many.get_blocked.push_back(0);
    many.step.push_back(i % 20 == 7 ? 100'000'000 + static_cast<std::int64_t>(i) : 10'000'000);
    many.end.push_back(static_cast<std::int64_t>(i));
  }
  CHECK(stalls_of(calm).count == 0);
  CHECK(stalls_of(calm).total_ns == 0);
  const StallFacts f = stalls_of(many);
  CHECK(f.count == 100);
  REQUIRE(f.longest.size() == 32);
  CHECK(f.longest.front().step == 1367);  // the last 32 of 7, 27, ... 1987
  CHECK(f.period_steps == 20);
  CHECK(stalls_of({}).count == 0);
}

// Batches of four workers, of which two have come where the window begins and two where it ends.
TEST_CASE("pace: groups that take the same are in it, however uneven they are", "[unit][trial]") {
  const std::vector<std::int64_t> ends{0, 0, 400, 400, 400, 400, 800, 800, 800, 800, 1200, 1200};
  CHECK(pace_range(ends, {.group = 4}) == 0);
  // One by one: 100 ns a step, from 200 ns ahead of it to 100 ns behind it.
  CHECK(pace_range(ends, {.group = 1}) == 300);
  std::vector<std::int64_t> late = ends;
  for (std::size_t i = 6; i < 10; ++i) late[i] = 900;
  CHECK(pace_range(late, {.group = 4}) == 100);
  late.push_back(5000);  // a group that is not whole
  CHECK(pace_range(late, {.group = 4}) == 100);
  CHECK(pace_range({}, {.group = 4}) == 0);
}

// Steps of 10 ns, and 100 ns more after each seventh: 20 of them take 400 ns, 20 ns each. The
// fourteenth ends 60 ns behind that, the sixth 60 ns ahead. By their true pace they were 486.
TEST_CASE("pace: what comes every few steps strays from it by more than its window is off",
          "[unit][trial]") {
  std::vector<std::int64_t> ends;
  for (std::int64_t step = 1; step <= 20; ++step) ends.push_back(10 * step + 100 * (step / 7));
  CHECK(pace_range(ends, {.group = 1}) == 120);
}

// For the host two steps end as they are enqueued, and the window when both are done.
TEST_CASE("pace: steps in flight begin ahead of it and end behind it alike", "[unit][trial]") {
  const std::vector<std::int64_t> ends{0, 0, 10, 20, 30};
  CHECK(pace_range(ends, {.group = 1, .ahead = 2, .drained_ns = 20}) == 0);
  CHECK(pace_range(ends, {.group = 1, .ahead = 2, .drained_ns = 25}) == 5);
  CHECK(pace_range(ends, {.group = 1, .ahead = 0, .drained_ns = 20}) == 20);
}

// Four of five steps end as they are enqueued: the last one alone shows the pace, 10 ns, by which
// all five take 50.
TEST_CASE("pace: a stretch that is hardly longer than what is in flight has one, too",
          "[unit][trial]") {
  const std::vector<std::int64_t> ends{0, 0, 0, 0, 10};
  CHECK(pace_range(ends, {.group = 1, .ahead = 5, .drained_ns = 40}) == 0);
  CHECK(pace_range(ends, {.group = 1, .ahead = 5, .drained_ns = 60}) == 20);
  // The last two take 50 ns each, and the first three would have taken 150: more than all of it.
  CHECK(pace_range(std::vector<std::int64_t>{0, 0, 0, 0, 100}, {.group = 1, .ahead = 3}) == 100);
}

TEST_CASE("executor: the terms of every identity add up, in virtual time exactly",
          "[unit][trial]") {
  for (const char* workers : {"0", "1", "3"})
    for (const char* batch_time : {"1ms", "7ms"}) {
      INFO(workers << " workers, " << batch_time << " a batch");
      const Facts f = run_simulated(TrialOfMocks("synthetic", "timed",
                                                 {{"loader.num_workers", workers},
                                                  {"loader.batch_time", batch_time},
                                                  {"loader.distribution", "exponential"},
                                                  {"trainer.step_time", "2ms"},
                                                  {"trainer.distribution", "exponential"}})
                                        .trial())
                          .facts;
      const LoopTimes& l = f.window.loop;
      CHECK(l.get_ns + l.accounting_ns + l.step_ns + l.after_ns + l.report_ns == f.window.ns);
      CHECK(l.core_wait_ns == 0);
      CHECK(l.step_ns > 0);
      REQUIRE(f.workers.each.size() == f.workers.count);
      for (const WorkerTimes& w : f.workers.each) {
        CHECK(w.fill_ns + w.slot_wait_ns + w.queue_ns == f.window.ns);
        CHECK(w.batches > 0);
      }
      CHECK(f.queue.depth_ns == f.queue.stay_ns);
      CHECK(f.queue.batches * 4 >= f.accounting.delivered);
      CHECK(f.queue.deepest <= f.parts.max_jobs);
      CHECK(f.queue.seen_ns >= f.window.ns);
      CHECK_FALSE(f.instrument.clock_slew_ppm.has_value());
      std::uint64_t counted = 0;
      for (const auto& [edge, count] : f.window.step_bins) counted += count;
      CHECK(counted == f.window.steps);
    }
}

TEST_CASE("executor: what lies in the queue at the end counts on both sides", "[unit][trial]") {
  const Facts f = run_simulated(TrialOfMocks("synthetic", "timed",
                                             {{"loader.batch_time", "1ms"},
                                              {"loader.prefetch_factor", "8"},
                                              {"trainer.step_time", "5ms"}})
                                    .trial())
                      .facts;
  CHECK(f.queue.deepest >= 14);
  CHECK(f.queue.depth_ns > 10 * f.queue.seen_ns);
  CHECK(f.queue.depth_ns == f.queue.stay_ns);
  CHECK(f.accounting.in_flight > 0);
}

TEST_CASE("executor: a checkpoint every 20 steps stalls, with its period", "[unit][trial]") {
  const Facts f = run_simulated(TrialOfMocks("synthetic", "timed",
                                             {{"trainer.step_time", "5ms"},
                                              {"trainer.postprocess.every", "20"},
                                              {"trainer.postprocess.time", "40ms"},
                                              {"measure.window", "3s"}})
                                    .trial())
                      .facts;
  CHECK(f.window.stalls.period_steps == 20);
  CHECK(f.window.stalls.count >= f.window.steps / 20 - 1);
  CHECK(f.window.steadiness == SteadinessKind::periodic);
  CHECK(f.window.period_steps == 20);
  REQUIRE_FALSE(f.window.stalls.longest.empty());
  for (const Stall& stall : f.window.stalls.longest) {
    CHECK(stall.cause == StallCause::postprocess);
    CHECK(stall.ns == 40'000'000);
  }
  CHECK(f.window.loop.after_ns + f.window.loop.step_ns + f.window.loop.get_ns == f.window.ns);
}

}  // namespace benchbench::test
