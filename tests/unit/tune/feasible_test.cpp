#include "harness/tune/feasible.h"

#include <catch2/catch.hpp>

#include "tests/unit/tune/space_of.h"

namespace benchbench {
namespace tune_feasible_test {

using test::observed;
using test::small_space;

TuneProblem small_problem() { return {small_space(), {}, 0, {}, {}}; }

TEST_CASE("feasible: a point out of memory bars those that ask for no less of anything",
          "[unit][tune]") {
  const TuneProblem problem = small_problem();
  const Space& space = problem.space;
  const std::vector<Observation> records = {
      observed(space.point_of({3, 1, 0}), 0, 0, TuneOutcome::out_of_memory)};
  const Feasible f = feasible_points(problem, records);
  CHECK(f.barred[space.point_of({3, 1, 0})] == Barred::memory);
  CHECK(f.barred[space.point_of({4, 2, 0})] == Barred::memory);
  CHECK(f.is(space.point_of({4, 0, 0})));        // less deep
  CHECK(f.is(space.point_of({2, 2, 0})));        // fewer workers
  CHECK_FALSE(f.is(space.point_of({4, 2, 1})));  // pinned on top of it
  CHECK(f.points.size() == space.points().size() - 12);
  const std::vector<Observation> pinned = {
      observed(space.point_of({3, 1, 1}), 0, 0, TuneOutcome::out_of_memory)};
  CHECK(feasible_points(problem, pinned).is(space.point_of({4, 2, 0})));
}

TEST_CASE("feasible: a point over the limit is barred though it ran", "[unit][tune]") {
  TuneProblem problem = small_problem();
  problem.limits.memory_bytes = 4e9;
  std::vector<Observation> records = {observed(problem.space.point_of({3, 1, 0}), 0, 100)};
  records[0].memory_bytes = 4.1e9;
  CHECK_FALSE(feasible_points(problem, records).is(records[0].point));
  records[0].memory_bytes = 3.9e9;
  CHECK(feasible_points(problem, records).is(records[0].point));
}

TEST_CASE(
    "feasible: memory seen elsewhere bars what would need too much, and never what was seen within",
    "[unit][tune]") {
  TuneProblem problem = small_problem();
  problem.limits.memory_bytes = 3e9;
  const Space& space = problem.space;
  std::vector<Observation> records;
  for (std::uint32_t w = 1; w < 4; ++w)
    for (std::uint32_t d = 0; d < 3; ++d) {
      records.push_back(observed(space.point_of({w, d, 0}), 0, 100));
      records.back().memory_bytes =
          1e9 + 2e8 * space.workers(records.back().point) +
          1e7 * space.workers(records.back().point) * space.depth(records.back().point);
    }
  // That point would take 4.5 GB.
  CHECK(feasible_points(problem, records).barred[space.point_of({5, 0, 1})] ==
        Barred::memory_likely);
  CHECK(feasible_points(problem, records).is(space.point_of({4, 0, 1})));  // 2.8 GB
  records.push_back(observed(space.point_of({5, 0, 1}), 1, 100));
  records.back().memory_bytes = 2.9e9;
  CHECK(feasible_points(problem, records).is(space.point_of({5, 0, 1})));
}

TEST_CASE(
    "feasible: a point that was INVALID twice and never measured is left out, "
    "one that was measured is not",
    "[unit][tune]") {
  const TuneProblem problem = small_problem();
  const PointId p = problem.space.point_of({2, 0, 0});
  std::vector<Observation> records = {observed(p, 0, 0, TuneOutcome::invalid)};
  CHECK(feasible_points(problem, records).is(p));
  records.push_back(observed(p, 1, 0, TuneOutcome::invalid));
  CHECK(feasible_points(problem, records).barred[p] == Barred::invalid);
  CHECK(feasible_points(problem, records).points.size() == problem.space.points().size() - 1);
  records.push_back(observed(p, 2, 100));
  CHECK(feasible_points(problem, records).is(p));
}

TEST_CASE("feasible: a value with which nothing works is left out once two points failed",
          "[unit][tune]") {
  const TuneProblem problem = small_problem();
  const Space& space = problem.space;
  std::vector<Observation> records = {
      observed(space.point_of({1, 0, 1}), 0, 0, TuneOutcome::failed),
      observed(space.point_of({2, 0, 0}), 0, 100)};
  CHECK(feasible_points(problem, records).is(space.point_of({4, 0, 1})));
  records.push_back(observed(space.point_of({3, 0, 1}), 1, 0, TuneOutcome::failed));
  CHECK(feasible_points(problem, records).barred[space.point_of({4, 0, 1})] == Barred::failed);
  records.push_back(observed(space.point_of({5, 0, 1}), 1, 100));  // it does work
  CHECK(feasible_points(problem, records).is(space.point_of({4, 0, 1})));
}

TEST_CASE(
    "feasible: what was measured within the limit stays, "
    "though a point that asks for less was over it",
    "[unit][tune]") {
  TuneProblem problem = small_problem();
  problem.limits.memory_bytes = 5e9;
  const PointId less = problem.space.point_of({2, 0, 0}), more = problem.space.point_of({3, 0, 0}),
                most = problem.space.point_of({4, 0, 0});
  std::vector<Observation> records = {observed(less, 0, 90), observed(more, 0, 100)};
  records[0].memory_bytes = 5.1e9, records[1].memory_bytes = 4.9e9;
  CHECK(feasible_points(problem, records).barred[less] == Barred::memory);
  CHECK(feasible_points(problem, records).is(more));
  CHECK(feasible_points(problem, records).barred[most] == Barred::memory);
  records.push_back(observed(more, 1, 100)), records.back().memory_bytes = 5.2e9;
  CHECK(feasible_points(problem, records).barred[more] == Barred::memory);
}

// work_unit sample needs dispatch shared.
TEST_CASE("feasible: two values that never work together are left out once two points failed",
          "[unit][tune]") {
  const Knob unit{"work_unit", KnobKind::category, {{"batch", 0, 0}, {"sample", 0, 1}}, false},
      dispatch{"dispatch", KnobKind::category, {{"own", 0, 0}, {"shared", 0, 1}}, false};
  TuneProblem problem{
      Space({test::number_knob("num_workers", KnobKind::workers, {1, 2, 3}), unit, dispatch}),
      {},
      0,
      {},
      {}};
  const auto point = [&](std::uint32_t workers, std::uint32_t u, std::uint32_t d) {
    return problem.space.point_of({workers, u, d});
  };
  std::vector<Observation> records = {observed(point(0, 1, 1), 0, 100),
                                      observed(point(0, 0, 0), 0, 100),
                                      observed(point(0, 1, 0), 0, 0, TuneOutcome::failed)};
  CHECK(feasible_points(problem, records).is(point(2, 1, 0)));
  records.push_back(observed(point(1, 1, 0), 1, 0, TuneOutcome::failed));
  const Feasible f = feasible_points(problem, records);
  CHECK(f.barred[point(2, 1, 0)] == Barred::failed);
  CHECK(f.is(point(2, 1, 1)));
  CHECK(f.is(point(2, 0, 0)));
  records.push_back(observed(point(2, 1, 0), 2, 100));  // it does work
  CHECK(feasible_points(problem, records).is(point(2, 1, 0)));
}

}  // namespace tune_feasible_test
}  // namespace benchbench
