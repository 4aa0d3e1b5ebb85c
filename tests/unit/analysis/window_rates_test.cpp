// What the cut of windows leaves unknown of a rate, and pipelines that are faster than a side
// alone.
#include <catch2/catch.hpp>

#include "harness/analysis/rates/phase.h"
#include "harness/analysis/statistics/statistics.h"
#include "tests/unit/analysis/made_run.h"

namespace benchbench::window_rates_test {
namespace {

using test::kSecond;
using test::MadeRun;

std::vector<double> logs_of(std::vector<double> rates) {
  for (double& rate : rates) rate = std::log(rate);
  return rates;
}

}  // namespace

TEST_CASE("phase: what steps stray from their pace, of the window", "[unit][analysis]") {
  Facts f = test::good_facts(120);  // 12 batches in a second
  f.workers.count = 4;
  f.window.pace_range_ns = kSecond / 50;
  f.window.burst = 4;
  CHECK(phase_share(f) == Approx(0.02));
  f.window.pace_range_ns.reset();  // at observer level 0
  CHECK(phase_share(f) == Approx(3.0 / 12));
  f.window.burst = 0;  // from before it was known: its window may have cut a burst in two
  CHECK(phase_share(f) == 0);
  f.simulated = true;
  CHECK(phase_share(f) == Approx(3.0 / 12));
  f.external.emplace();
  CHECK(phase_share(f) == 0);
}

TEST_CASE("phase: rounds cut at the same place have the interval of the cut", "[unit][analysis]") {
  const Measured same = estimate_cut_rates(logs_of({100, 100, 100}), 0.02);
  REQUIRE(same);
  CHECK(same->value == Approx(100));
  CHECK(same->low == Approx(100 * std::exp(-0.02)));
  CHECK(same->high == Approx(100 * std::exp(0.02)));
  // Rounds that differ as much as their steps do show it themselves.
  const std::vector<double> apart = logs_of({90, 100, 110});
  const Measured own = estimate_cut_rates(apart, 0.02), plain = estimate_from_logs(apart);
  CHECK(own->low == plain->low);
  CHECK(own->high == plain->high);
  CHECK(estimate_cut_rates(logs_of({100}), 0.02)->low == Approx(100));
  CHECK_FALSE(estimate_cut_rates({}, 0.02));
}

TEST_CASE("phase: a stored run of a cut window is not exact", "[unit][analysis]") {
  MadeRun run;
  run.rates(run.trial(run.point({}, run.settings(4)), Mode::loader), {100, 100, 100});
  for (TrialRecord& r : run.records) r.facts.simulated = true, r.facts.workers.count = 4;
  const Measured rate = analyse(run.plan, run.records).points[0].loader_rate;
  REQUIRE(rate);
  CHECK(rate->low == Approx(100 * std::exp(-0.3)));  // 3 of 10 batches
  for (TrialRecord& r : run.records) r.facts.window.burst = 2, r.facts.window.pace_range_ns = 0;
  const Measured whole = analyse(run.plan, run.records).points[0].loader_rate;
  CHECK(whole->low == Approx(100));
  CHECK(whole->high == Approx(100));
}

}  // namespace benchbench::window_rates_test
