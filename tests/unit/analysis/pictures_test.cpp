// What a picture of a run needs beside the report's numbers.
#include <catch2/catch.hpp>
#include <numeric>

#include "harness/analysis/conclusion/analyse.h"
#include "harness/analysis/findings.h"
#include "harness/series/extremes.h"
#include "tests/unit/analysis/made_run.h"

namespace benchbench {
namespace pictures_test {

TEST_CASE("pictures: a point's ratio to the base is of samples, round by round, whatever its batch",
          "[unit][analysis]") {
  test::MadeRun run;
  const auto base = run.point({}, run.settings(2, 10));
  run.rates(run.trial(base, Mode::pipeline), {100, 200, 400}, 10);
  const auto other = run.point({{"loader.batch_size", "40"}}, run.settings(2, 40));
  const auto trial = run.trial(other, Mode::pipeline);
  run.record(trial, 0, test::good_facts(150, 40));
  run.record(trial, 2, test::good_facts(800, 40));
  run.record(trial, 3, test::good_facts(999, 40));  // no base in this round
  const Findings f = analyse(run.plan, run.records);
  CHECK(f.compared_mode == Mode::pipeline);
  REQUIRE(f.over_base.size() == 2);
  CHECK(f.over_base[0].by_round.empty());
  CHECK(f.over_base[0].shown == Shown::not_compared);
  REQUIRE(f.over_base[1].by_round.size() == 2);
  CHECK(f.over_base[1].by_round.at(0) == Approx(1.5));
  CHECK(f.over_base[1].by_round.at(2) == Approx(2.0));
  CHECK(f.over_base[1].ratio->value == Approx(std::sqrt(3.0)));
}

TEST_CASE("pictures: the anchor's runs in the order they ran, over the median of the usable ones",
          "[unit][analysis]") {
  test::MadeRun run;
  const auto base = run.point({}, run.settings(2));
  const auto trial = run.trial(base, Mode::pipeline);
  CHECK(analyse(run.plan, run.records).anchor_runs.empty());
  run.plan.anchor = trial;
  CHECK(analyse(run.plan, run.records).anchor_runs.empty());
  run.record(trial, 0, test::good_facts(100));
  run.record(trial, 1, test::good_facts(300), 0);
  run.record(trial, 0, test::good_facts(200), 1);
  Facts lossy = test::good_facts(1000);
  lossy.accounting.missing = 1;
  run.record(trial, 1, lossy, 1);
  const auto runs = analyse(run.plan, run.records).anchor_runs;
  REQUIRE(runs.size() == 4);
  CHECK(runs[0].sequence == 0);
  CHECK(runs[0].ratio == Approx(0.5));
  CHECK(runs[1].sequence == 1);
  CHECK(runs[1].round == 1);
  CHECK(runs[1].ratio == Approx(1.5));
  CHECK(runs[2].ratio == Approx(1.0));
  CHECK(runs[3].ratio == Approx(5.0));
  CHECK(runs[3].status == Status::invalid);
  CHECK(runs[2].status == Status::valid);
}

TEST_CASE("pictures: the step of every point that has one", "[unit][analysis]") {
  test::MadeRun run;
  for (const std::int64_t workers : {1, 2, 4}) {
    const auto point = run.point(
        workers == 1 ? decltype(Point::labels){}
                     : decltype(Point::labels){{"loader.num_workers", std::to_string(workers)}},
        run.settings(workers));
    Facts facts = test::good_facts(100);
    facts.window.get_blocked.n = workers == 2 ? 0 : 10;  // the second was not metered
    facts.window.stages[static_cast<std::size_t>(Stage::get_blocked)] = {
        static_cast<std::int64_t>(workers) * 100'000'000, 10};
    run.record(run.trial(point, Mode::pipeline), 0, facts);
  }
  const Findings f = analyse(run.plan, run.records);
  REQUIRE(f.steps.size() == 2);
  CHECK(f.steps[0].point == 0);
  CHECK(f.steps[1].point == 2);
  CHECK(f.steps[1].step_ms == Approx(100));
  CHECK(f.steps[1].parts.front().second == Approx(40));
  REQUIRE(f.identity);
  CHECK(f.identity->point == 0);
}

TEST_CASE("extremes: of neighbours the least and the most, in their order", "[unit][analysis]") {
  const std::vector<std::int64_t> values{5, 1, 9, 4, 7, 7, 7, 2};
  using Kept = std::vector<PlacedValue>;
  CHECK(extremes_of(values, 4) == Kept{{1, 1}, {2, 9}, {6, 7}, {7, 2}});
  CHECK(extremes_of(values, 3) == Kept{{1, 1}, {2, 9}, {3, 4}, {5, 7}, {6, 7}, {7, 2}});
  CHECK(extremes_of(values, 100) == Kept{{1, 1}, {2, 9}});
  CHECK(extremes_of(std::vector<std::int64_t>{3, 3, 3, 8}, 3) == Kept{{0, 3}, {2, 3}, {3, 8}});
  CHECK(extremes_of({}, 4).empty());
}

TEST_CASE("extremes: a series of any length in at most so many values, its peaks among them",
          "[unit][analysis]") {
  for (const std::size_t n : {0u, 1u, 9u, 10u, 11u, 19u, 20u, 21u, 99u, 1003u}) {
    std::vector<std::int64_t> values(n);
    std::iota(values.begin(), values.end(), 0);
    if (n > 5) values[n / 2] = 5000, values[n - 2] = -7;
    const auto kept = thinned(values, 10);
    INFO(n);
    CHECK(kept.size() <= 10);
    CHECK(kept.size() >= std::min<std::size_t>(n, 5));
    for (std::size_t i = 0; i < kept.size(); ++i) {
      CHECK(kept[i].second == values[kept[i].first]);
      if (i > 0) CHECK(kept[i].first > kept[i - 1].first);
    }
    if (n <= 10) CHECK(kept.size() == n);
    if (n <= 5) continue;
    CHECK(std::ranges::count(kept, 5000, &PlacedValue::second) == 1);
    CHECK(std::ranges::count(kept, -7, &PlacedValue::second) == 1);
  }
}

}  // namespace pictures_test
}  // namespace benchbench
