// The parts of a step that are said next to its side.
#include "harness/analysis/conclusion/step_parts.h"

#include <catch2/catch.hpp>

#include "tests/unit/analysis/made_run.h"

namespace benchbench::step_parts_test {
namespace {

Estimate exactly(double value) { return {value, value, value, 5}; }

// A wrapped script with steps of 10 ms, of which the trainer alone takes 6 and the wait for a batch
// `waits`; the rest is unexplained.
struct Script {
  Plan plan;
  Findings f;
  explicit Script(double waits) {
    plan.scenario.base.set("measure.class", test::words("stretch"));
    plan.points.resize(1);
    f.points.resize(1);
    f.external.points.resize(1);
    f.external.points[0].mode = Mode::pipeline;
    PointFindings& p = f.points[0];
    p.side = Side::trainer;
    p.step_ms = exactly(10), p.exposed_wait_ms = exactly(waits), p.side_takes_ms = exactly(6);
    p.pipeline_rate = exactly(6), p.trainer_rate = exactly(10), p.loader_rate = exactly(9);
  }
  StepRest rest() const { return rest_of_step(f, plan, f.points[0]); }
};

}  // namespace

TEST_CASE("step parts: a step is its wait, the trainer's own time and what is unexplained",
          "[unit][analysis][wrap]") {
  const Script s(3);
  CHECK(unexplained_ms(s.f.points[0]) == Approx(1));
  CHECK(own_step_ms(s.f.points[0]) == Approx(6));
  CHECK(taken_ms(s.plan, s.f.points[0]) == Approx(6));
  CHECK(waits_much(s.f.points[0]));
  CHECK_FALSE(waits_much(Script(0.9).f.points[0]));
}

TEST_CASE("step parts: what is unexplained is said with the cores that explain it",
          "[unit][analysis][wrap]") {
  Script s(1);
  CHECK_FALSE(s.rest().has_some());
  s.f.external.points[0].core_wait_main_ms = 1.5;
  CHECK(s.rest().unexplained_ms == Approx(3));
  CHECK(s.rest().core_wait_share == Approx(0.5));
  s.f.external.points[0].core_wait_main_ms = 0.2;  // under a tenth of it
  CHECK_FALSE(s.rest().has_some());
  s.f.external.points[0].cores = 4, s.f.external.points[0].runnable_mean = 6;
  CHECK(s.rest().threads == 6.0);
  CHECK(s.rest().unexplained_ms == Approx(3));
}

TEST_CASE("step parts: cores that are full before the sides' own rates make a step longer",
          "[unit][analysis][wrap]") {
  Script s(1);
  s.f.points[0].cpu_rate = exactly(8);
  s.f.external.points[0].core_wait_main_ms = 1.5;
  CHECK(s.rest().shared_cores_ms == Approx(3));
  CHECK(s.rest().core_wait_share == Approx(0.5));
  CHECK_FALSE(s.rest().unexplained_ms);  // it is said once
  s.f.points[0].cpu_rate = exactly(20);
  CHECK_FALSE(s.rest().shared_cores_ms);
}

}  // namespace benchbench::step_parts_test
