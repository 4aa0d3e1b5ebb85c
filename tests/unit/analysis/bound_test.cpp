// A side that takes too little time to be resolved has no limit: its rate is a bound.
#include <catch2/catch.hpp>

#include "harness/analysis/conclusion/analyse.h"
#include "harness/analysis/findings.h"
#include "tests/unit/analysis/made_run.h"

namespace benchbench::test {
namespace bound {

struct OneSide {
  double rate;
  double overhead;   // the share of its time that measuring took
  double slope = 0;  // the share of its rate by which that drifted
};

PointFindings judged(OneSide loader, OneSide trainer, OneSide pipeline) {
  MadeRun run;
  const std::uint32_t point = run.point({}, run.settings(1));
  for (const auto& [mode, side] :
       {std::pair{Mode::loader, loader}, {Mode::trainer, trainer}, {Mode::pipeline, pipeline}}) {
    const std::uint32_t trial = run.trial(point, mode);
    for (std::uint32_t round = 0; round < 5; ++round) {
      Facts facts = good_facts(side.rate);
      facts.instrument.overhead_share = side.overhead;
      facts.window.slope_share = side.slope;
      run.record(trial, round, std::move(facts));
    }
  }
  const Findings f = analyse(run.plan, run.records);
  CHECK(f.overhead_share <= 0.03);
  return f.points[0];
}

constexpr std::size_t kOfTrainer = static_cast<std::size_t>(Mode::trainer);

TEST_CASE("bound: a trainer that takes no time leaves the loader as the limit",
          "[unit][analysis]") {
  const PointFindings p = judged({1000, 0.001}, {1e7, 0.58}, {1000, 0.001});
  CHECK(p.status == Status::valid);
  CHECK(p.side == Side::loader);
  CHECK(p.is_bound(Mode::trainer));
  CHECK_FALSE(p.is_bound(Mode::loader));
  CHECK_FALSE(p.headroom);  // T has no limit
}

TEST_CASE("bound: a loader that takes no time leaves the trainer as the limit",
          "[unit][analysis]") {
  const PointFindings p = judged({1e7, 0.2}, {1000, 0.001}, {1000, 0.001});
  CHECK(p.status == Status::valid);
  CHECK(p.side == Side::trainer);
  CHECK(p.is_bound(Mode::loader));
  CHECK(p.headroom);
}

TEST_CASE("bound: where neither side takes time, no side is named and nothing is void",
          "[unit][analysis]") {
  const PointFindings p = judged({2e7, 0.3}, {1e7, 0.58}, {8e6, 0.4});
  CHECK(p.status == Status::valid);
  CHECK(p.side == Side::balanced);
  CHECK(p.is_bound(Mode::pipeline));
  CHECK_FALSE(p.loader_cost_ms);
}

TEST_CASE("bound: a rate that somebody needs is void", "[unit][analysis]") {
  const PointFindings slower = judged({2e7, 0.001}, {1e7, 0.04}, {1e7, 0.001});
  CHECK(slower.status == Status::invalid);
  CHECK(slower.side == Side::unknown);
  CHECK(slower.mode_status[kOfTrainer] == Status::invalid);
  CHECK_FALSE(slower.is_bound(Mode::trainer));
  REQUIRE(slower.reasons.size() == 1);
  CHECK(slower.reasons[0].rule == "R16");
  const PointFindings together = judged({1000, 0.001}, {2000, 0.001}, {1000, 0.04});
  CHECK(together.status == Status::invalid);
  CHECK(together.side == Side::unknown);
}

// This is configs/tokens.yaml: a loader of short batches, without the trainer alone.
TEST_CASE("bound: a loader that no other side is compared with is not void", "[unit][analysis]") {
  MadeRun run;
  const std::uint32_t point = run.point({}, run.settings(1));
  const auto add = [&](Mode mode, double rate, double overhead) {
    Facts facts = good_facts(rate);
    facts.instrument.overhead_share = overhead;
    run.record(run.trial(point, mode), 0, std::move(facts));
  };
  add(Mode::loader, 2e5, 0.037);
  add(Mode::pipeline, 1e4, 0.001);
  const PointFindings p = analyse(run.plan, run.records).points[0];
  CHECK(p.status == Status::valid);
  CHECK(p.is_bound(Mode::loader));
  CHECK(p.loader_rate->value == Approx(2e5));
}

TEST_CASE("bound: a doubt stays a doubt", "[unit][analysis]") {
  const PointFindings p = judged({1000, 0.001}, {1e5, 0.02}, {1000, 0.001});
  CHECK(p.status == Status::noisy);
  CHECK_FALSE(p.is_bound(Mode::trainer));
}

TEST_CASE("bound: steps that take no virtual time have no limit", "[unit][analysis]") {
  MadeRun run;
  const std::uint32_t point = run.point({}, run.settings(1));
  for (const Mode mode : {Mode::loader, Mode::trainer, Mode::pipeline}) {
    Facts facts = good_facts(1000);
    facts.simulated = true;
    if (mode == Mode::trainer) facts.window.ns = kTimelessWindow.count();
    run.record(run.trial(point, mode), 0, std::move(facts));
  }
  const PointFindings p = analyse(run.plan, run.records).points[0];
  CHECK(p.status == Status::valid);
  CHECK(p.side == Side::loader);
  CHECK(p.is_bound(Mode::trainer));
}

TEST_CASE("bound: a bound needs no precision", "[unit][analysis]") {
  CHECK(judged({1000, 0.001}, {1e7, 0.58, 0.4}, {1000, 0.001}).status == Status::valid);
  CHECK(judged({1000, 0.001}, {1e7, 0.001, 0.4}, {1000, 0.001}).status == Status::noisy);
}

}  // namespace bound
}  // namespace benchbench::test
