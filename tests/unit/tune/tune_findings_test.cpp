// The end of a tune and its figures, from findings written by hand.
#include <catch2/catch.hpp>

#include "harness/tune/tune_figures.h"
#include "harness/tune/tune_findings.h"

namespace benchbench {
namespace tune_findings_test {

TuneProblem two_points() {
  TuneProblem p{.space = Space({{"num_workers", KnobKind::workers, {{"2", 2, 1}, {"4", 4, 2}}}}),
                .limits = {},
                .references = {},
                .trainer_rate = {}};
  p.present = 0;
  return p;
}

struct Search {
  TuneProblem problem = two_points();
  std::vector<Observation> records = std::vector<Observation>(1);
  TuneResult result;
  // Four workers were found, with pairs whose interval is from `low` to `high`.
  void found(TuneAdvice advice, double low, double high) {
    result.advice = advice, result.stop = Stop::nothing_left, result.found = 1;
    result.gains = {{0, Estimate{(low + high) / 2, low, high, 3}, false}};
  }
  Search() { records.front().rate = 100; }
  TuneFindings findings() const { return {"job", "python", problem, records, result, {}}; }
};

TEST_CASE("tune findings: an interval from none to more than twice the floor is too noisy",
          "[unit][tune]") {
  Search s;
  s.found(TuneAdvice::keep_yours, 0.98, 1.15);
  CHECK(is_too_noisy(s.findings()));
  s.found(TuneAdvice::keep_yours, 0.98, 1.1);  // the floor is 5.5 %
  CHECK_FALSE(is_too_noisy(s.findings()));
  s.found(TuneAdvice::keep_yours, 1.01, 1.15);
  CHECK_FALSE(is_too_noisy(s.findings()));
  s.found(TuneAdvice::change, 0.98, 1.15);
  CHECK_FALSE(is_too_noisy(s.findings()));
  s.found(TuneAdvice::keep_yours, 0.98, 1.15);
  s.result.gains.front().refused = true;
  CHECK_FALSE(is_too_noisy(s.findings()));
  s.result.gains.front().refused = false, s.result.stop = Stop::trainer_binds;
  CHECK_FALSE(is_too_noisy(s.findings()));
}

TEST_CASE("tune findings: what is not finished is unfinished unless it is too noisy",
          "[unit][tune]") {
  Search s;
  s.found(TuneAdvice::not_finished, 0.98, 1.1);
  CHECK(is_unfinished(s.findings()));
  s.found(TuneAdvice::not_finished, 0.98, 1.15);
  CHECK_FALSE(is_unfinished(s.findings()));
  s.found(TuneAdvice::change, 1.05, 1.1);
  CHECK_FALSE(is_unfinished(s.findings()));
  s.result.stop = Stop::no_budget;
  CHECK(is_unfinished(s.findings()));
}

TEST_CASE("tune findings: where all is over the limit of memory nothing failed", "[unit][tune]") {
  Search s;
  s.result.stop = Stop::all_failed;
  CHECK(is_unusable(s.findings()));
  s.problem.limits.memory_bytes = 1e9;
  CHECK(is_limit_unknown(s.findings()));
  CHECK(is_unusable(s.findings()));
  s.records.front().memory_bytes = 2e9;
  CHECK_FALSE(is_limit_unknown(s.findings()));
  CHECK(is_over_limit(s.findings()));
  CHECK_FALSE(is_unusable(s.findings()));
  CHECK(misses_goal(s.findings()));
  s.result.advice = TuneAdvice::keep_yours;
  CHECK_FALSE(is_over_limit(s.findings()));
  CHECK_FALSE(misses_goal(s.findings()));
}

TEST_CASE("tune findings: a target that is not met, and a limit that is not known, miss the goal",
          "[unit][tune]") {
  Search s;
  CHECK_FALSE(misses_goal(s.findings()));
  s.problem.limits.target_rate = 200;
  CHECK(misses_goal(s.findings()));
  s.result.target_met = false;
  CHECK(misses_goal(s.findings()));
  s.result.target_met = true;
  CHECK_FALSE(misses_goal(s.findings()));
  s.problem.limits.memory_bytes = 1e9;
  CHECK(misses_goal(s.findings()));
}

TEST_CASE("tune findings: workers are kept where starting them takes 5 % of an epoch",
          "[unit][tune]") {
  const Search s;
  TuneFindings f = s.findings();
  CHECK_FALSE(should_keep_workers(f));
  f.epoch_start = EpochStart{1000, 18};
  CHECK(should_keep_workers(f));
  f.epoch_start = EpochStart{1000, 20};
  CHECK_FALSE(should_keep_workers(f));
}

TEST_CASE(
    "tune figures: a slower point with less CPU time a sample has its Pareto row, "
    "one with 1 % less has none",
    "[unit][tune]") {
  const std::optional<double> same = 1e9;
  const std::vector<PointFigures> kept = pareto_of(
      {{0, 120, 2, same, 1.00e-3}, {1, 110, 2, same, 0.99e-3}, {2, 100, 2, same, 0.5e-3}});
  REQUIRE(kept.size() == 2);
  CHECK(kept[0].point == 0);
  CHECK(kept[1].point == 2);
}

}  // namespace tune_findings_test
}  // namespace benchbench
