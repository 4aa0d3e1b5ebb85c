// What a history keeps of a run: medians of VALID rounds, canaries, what names a series.
#include "harness/analysis/history/kept_values.h"

#include <catch2/catch.hpp>

#include "tests/unit/analysis/made_run.h"

namespace benchbench {
namespace kept_values_test {

using test::good_facts;
using test::MadeRun;

// One point whose pipeline ran in these rounds.
struct OneSeries : MadeRun {
  std::uint32_t trial_of_it = 0;
  explicit OneSeries(std::int64_t workers = 2) {
    trial_of_it = trial(point({}, settings(workers)), Mode::pipeline);
  }
  KeptValue value() const {
    const KeptOfRun kept = kept_of(plan, records);
    REQUIRE(kept.run.values.size() == 1);
    return kept.run.values.front();
  }
};

TEST_CASE(
    "history: a value is the median of a night's rounds, those of an anchor's repeats one each",
    "[unit][analysis]") {
  OneSeries plain;
  plain.rates(plain.trial_of_it, {100, 110, 400});
  CHECK(plain.value().median == Approx(110));
  CHECK(plain.value().rounds == 3);
  OneSeries anchor;
  for (std::uint32_t round = 0; round < 4; ++round)
    for (std::uint32_t repeat = 0; repeat < 3; ++repeat)
      anchor.record(anchor.trial_of_it, round, good_facts(100 + 10.0 * round), repeat);
  CHECK(anchor.value().rounds == 4);
  CHECK(anchor.value().median == Approx(std::sqrt(110 * 120.0)));
}

TEST_CASE("history: a night with more NOISY rounds than VALID ones has no value",
          "[unit][analysis]") {
  OneSeries run;
  run.rates(run.trial_of_it, {100, 110, 120, 130});
  const auto noisy = [&](std::size_t record) {
    run.records[record].facts.window.steadiness = SteadinessKind::unsteady,
    run.records[record].facts.start.steady = false;
  };
  noisy(0), noisy(1);
  CHECK(run.value().median == Approx(std::sqrt(120 * 130.0)));
  noisy(2);
  CHECK(run.value().median == 0);
  CHECK(run.value().rounds == 1);
}

TEST_CASE("history: a label makes canaries, and another setting or label another series",
          "[unit][analysis]") {
  const auto series_of = [](OneSeries run,
                            const std::vector<std::pair<std::string, std::string>>& labels) {
    run.rates(run.trial_of_it, {100});
    run.plan.labels = labels;
    const KeptOfRun kept = kept_of(run.plan, run.records);
    REQUIRE(kept.series.size() == 1);
    return *kept.series.begin();
  };
  const auto [digest, series] = series_of(OneSeries(2), {{"driver", "570"}});
  CHECK(series.name() == "made/base/pipeline_rate");
  CHECK_FALSE(series.canary);
  CHECK(series_of(OneSeries(2), {}).first == digest);
  CHECK(series_of(OneSeries(4), {}).first != digest);
  const auto before = series_of(OneSeries(2), {{"canary", "before"}}),
             after = series_of(OneSeries(2), {{"canary", "after"}});
  CHECK((before.second.canary && after.second.canary));
  CHECK(before.first != after.first);
  CHECK(before.first != digest);
}

}  // namespace kept_values_test
}  // namespace benchbench
