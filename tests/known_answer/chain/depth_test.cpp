// What the recurrence foretells of other depths and orders from the times that one run recorded,
// against runs with these settings: by the executor in virtual time, exponential times; and against
// the chain's known throughput.
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdio>

#include "harness/analysis/depth/depth.h"
#include "harness/analysis/rates/delivery.h"
#include "harness/analysis/statistics/birth_death.h"
#include "harness/core/random.h"
#include "tests/unit/trial/trial_of_mocks.h"

namespace benchbench::test::chain_depth {

struct Line {
  std::uint32_t workers, prefetch;
  bool in_order;
  Dispatch dispatch;
};
constexpr std::uint32_t kRounds = 8;

Trial trial_of(const Line& line) {
  const std::string workers = std::to_string(line.workers);
  return TrialOfMocks("synthetic", "timed",
                      {{"loader.num_workers", workers},
                       {"loader.prefetch_factor", std::to_string(line.prefetch)},
                       {"loader.batch_size", "1"},
                       {"loader.in_order", line.in_order ? "true" : "false"},
                       {"loader.dispatch", name_of(line.dispatch)},
                       {"loader.batch_time", "4ms"},
                       {"loader.distribution", "exponential"},
                       {"trainer.step_time", "1ms"},
                       {"trainer.distribution", "exponential"},
                       {"measure.warmup", "200ms"},
                       {"measure.window", "1s"}})
      .trial();
}

struct Measured4 {
  Plan plan;
  std::vector<TrialRecord> records;
};

Measured4 measured(const Line& line) {
  Measured4 out;
  Trial trial = trial_of(line);
  Point point;
  point.settings = trial.settings;
  point.trials = {{Mode::pipeline, 0}};
  trial.mode = Mode::pipeline, trial.points = {0};
  out.plan.points = {point}, out.plan.trials = {trial};
  for (std::uint32_t round = 0; round < kRounds; ++round) {
    out.plan.order.push_back({0, round, 0});
    out.records.push_back(run_simulated(trial, {0, round, 0}));
  }
  return out;
}

DepthForetold foretold_by(const Line& line) {
  const Measured4 run = measured(line);
  const JudgedTrials trials(run.plan, run.records);
  const auto depth = foretold_depth(run.plan.points.front(), trials);
  REQUIRE(depth);
  return *depth;
}

const ForetoldStep& step_of(const DepthForetold& d, const Line& line) {
  for (const ForetoldStep& s : d.steps)
    if (s.workers == line.workers && s.prefetch == line.prefetch && s.in_order == line.in_order)
      return s;
  FAIL("not foretold");
  throw 0;
}

// A line's own 512 times have a mean that is 4 % off by one standard error, 1.6 % over 8 rounds:
// hence 5 %.
TEST_CASE("depth: what one run's times foretell of other depths and orders is what these measure",
          "[known_answer][chain]") {
  for (const Dispatch dispatch :
       {Dispatch::shared, Dispatch::round_robin, Dispatch::least_loaded}) {
    const Line from{4, 2, true, dispatch};
    const DepthForetold d = foretold_by(from);
    CHECK(std::abs(d.off()) < 0.02);
    CHECK(d.steps.size() == 3 * 5 * 2);
    for (const Line& other :
         {Line{4, 1, true, dispatch}, Line{4, 8, true, dispatch}, Line{4, 1, false, dispatch},
          Line{4, 4, false, dispatch}, Line{2, 2, true, dispatch}}) {
      const double seen = foretold_by(other).measured_ms, told = step_of(d, other).step_ms;
      std::printf(
          "%s, from 4 workers, prefetch_factor 2, in order: %u workers, prefetch_factor %u, %s: "
          "foretold %.4f ms, measured %.4f ms, %+.1f %%\n",
          std::string(name_of(dispatch)).c_str(), other.workers, other.prefetch,
          other.in_order ? "in order" : "any order", told, seen, 100 * (told / seen - 1));
      CHECK(told == Approx(seen).epsilon(0.05));
    }
  }
}

std::vector<double> exponential_times(std::size_t count, double mean, std::uint64_t seed) {
  Random random(seed);
  std::vector<double> out;
  for (std::size_t i = 0; i < count; ++i) out.push_back(random.exponential(mean));
  return out;
}

TEST_CASE(
    "depth: with exponential times, shared dispatch and any order the recurrence is the chain",
    "[known_answer][chain]") {
  const MadeTimes made{{}, exponential_times(100'003, 4, 11), false};
  const std::vector<double> used = exponential_times(100'019, 1, 12);
  for (const std::uint32_t jobs : {4u, 6u, 8u, 16u}) {
    const double step = delivered_step_ms(made, {4, 0, false, Dispatch::shared, jobs}, used);
    CHECK(step == Approx(1 / chain_with_credits(4, jobs, 4, 1).throughput).epsilon(0.01));
  }
  for (const auto& [depth, known] : {std::pair{1u, 1.5}, std::pair{2u, 1.333}, std::pair{4u, 1.2},
                                     std::pair{8u, 1.111}, std::pair{16u, 1.059}})
    CHECK(delivered_step_ms({{}, exponential_times(100'003, 1, 13), false}, {1, depth, true},
                            used) == Approx(known).epsilon(0.01));
}

// W = 8, 16 outstanding: the share of the workers' capacity that a quick trainer gets.
TEST_CASE("depth: what order and dispatch leave of the workers' capacity",
          "[known_answer][chain]") {
  const MadeTimes made{{}, exponential_times(200'003, 8, 14), false};
  const auto share = [&](Dispatch dispatch, bool in_order) {
    return 1 / delivered_step_ms(made, {8, 2, in_order, dispatch}, 1e-6);
  };
  CHECK(share(Dispatch::round_robin, true) == Approx(0.61).margin(0.01));
  CHECK(share(Dispatch::shared, true) == Approx(0.72).margin(0.01));
  CHECK(share(Dispatch::round_robin, false) == Approx(0.81).margin(0.01));
  CHECK(share(Dispatch::shared, false) == Approx(1).margin(0.01));
  CHECK(share(Dispatch::least_loaded, false) == Approx(1).margin(0.01));
}

}  // namespace benchbench::test::chain_depth
