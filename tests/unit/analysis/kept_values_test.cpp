// What a history keeps of a run: medians of VALID rounds, canaries, what names a series.
#include "harness/analysis/history/kept_values.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "harness/analysis/history/look.h"
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

void make_noisy(TrialRecord& record) { record.facts.cpu.throttled_s = 0.3; }
void make_unsteady(TrialRecord& record) {
  record.facts.window.steadiness = SteadinessKind::unsteady;
  record.facts.start.steady = false;
}
void make_invalid(TrialRecord& record) {
  record.facts.content.checked = 10;
  record.facts.content.wrong = 1;
}
void make_failed(TrialRecord& record) {
  record.status = Status::failed;
  record.reasons = {{"", false, "no such file\nand a traceback"}};
}

TEST_CASE("history: a night with more NOISY rounds than VALID ones is a wide one, with its reason",
          "[unit][analysis]") {
  OneSeries run;
  run.rates(run.trial_of_it, {100, 110, 120, 130});
  make_noisy(run.records[0]), make_noisy(run.records[1]);
  CHECK(run.value() ==
        KeptValue{run.value().series, run.value().median, 2});  // neither width nor reason
  CHECK(run.value().median == Approx(std::sqrt(120 * 130.0)));
  make_noisy(run.records[2]);
  const KeptValue wide = run.value();
  CHECK(wide.median == Approx(std::sqrt(110 * 120.0)));
  CHECK(wide.rounds == 1);
  // The logarithms of 100 to 130 deviate by 0.11293; 3.1824 is t of 3 degrees, 2 the root of 4.
  CHECK(wide.width == Approx(3.1824 * 0.11293 / 2).epsilon(0.001));
  CHECK(wide.reason == "R08 quota in 3 of 4 rounds: the CPU quota throttled the trial for 0.3 s");
}

TEST_CASE("history: a night whose NOISY rounds agree is as wide as any at least",
          "[unit][analysis]") {
  OneSeries run;
  run.rates(run.trial_of_it, {100, 100, 100});
  for (TrialRecord& record : run.records) make_noisy(record);
  CHECK(run.value().median == Approx(100));
  CHECK(run.value().rounds == 0);
  CHECK(run.value().width == kNoisyWidth);
}

TEST_CASE("history: a NOISY night that may have been slower has no value", "[unit][analysis]") {
  OneSeries run;
  run.rates(run.trial_of_it, {100, 100, 100});
  for (TrialRecord& record : run.records) make_unsteady(record);
  CHECK(run.value().median == 0);
  CHECK(run.value().width == 0);
  CHECK(run.value().reason.starts_with("R06 steady in 3 of 3 rounds: "));
  // The quota is what made it unsteady.
  for (TrialRecord& record : run.records) make_noisy(record);
  CHECK(run.value().median == Approx(100));
  CHECK(run.value().width == kNoisyWidth);
}

TEST_CASE("history: a night of mostly INVALID or FAILED rounds has no value, and says why",
          "[unit][analysis]") {
  OneSeries run;
  run.rates(run.trial_of_it, {100, 100, 100});
  make_noisy(run.records[0]);
  make_invalid(run.records[1]), make_invalid(run.records[2]);
  CHECK(run.value().median == 0);
  CHECK(run.value().width == 0);
  CHECK(run.value().reason ==
        "R02 content in 2 of 3 rounds: 1 of 10 samples checked do not match the manifest");
  make_failed(run.records[0]), make_failed(run.records[1]);
  CHECK(run.value().reason == "FAILED in 2 of 3 rounds: no such file");
  make_failed(run.records[2]);
  CHECK(run.value().reason == "FAILED in 3 of 3 rounds: no such file");
}

TEST_CASE("history: what most rounds say is the reason, of as many the worst", "[unit][analysis]") {
  OneSeries run;
  run.rates(run.trial_of_it, {100, 100, 100});
  for (TrialRecord& record : run.records) make_noisy(record), make_invalid(record);
  CHECK(run.value().reason.starts_with("R02 content in 3 of 3 rounds: "));
  run.records[1].facts.content.wrong = run.records[2].facts.content.wrong = 0;
  CHECK(run.value().reason.starts_with("R08 quota in 3 of 3 rounds: "));
}

TEST_CASE("history: a trial that cannot run here is kept as SKIPPED, one without a record is not",
          "[unit][analysis]") {
  OneSeries run;
  run.plan.trials[run.trial_of_it].skip = "no CUDA device";
  const std::uint32_t other = run.trial(run.point({}, run.settings(4)), Mode::pipeline);
  CHECK(kept_of(run.plan, run.records).run.values.empty());  // nothing has run at all
  run.record(other, 0, good_facts(100));
  const KeptOfRun kept = kept_of(run.plan, run.records);
  REQUIRE(kept.run.values.size() == 2);
  CHECK(kept.run.values[0].median == 0);
  CHECK(kept.run.values[0].reason == "SKIPPED: no CUDA device");
  CHECK(kept.run.values[1].median == Approx(100));
  run.plan.trials[run.trial_of_it].skip.reset();
  CHECK(kept_of(run.plan, run.records).run.values.size() == 1);
}

TEST_CASE("history: a night keeps the software and the environment of its run, not the hardware",
          "[unit][analysis]") {
  OneSeries run;
  run.rates(run.trial_of_it, {100});
  Environment& e = run.records.front().environment;
  e.cpu_model = "A CPU", e.machine = "m1", e.kernel = "Linux 6.1", e.build_digest = "abc";
  const auto kept = kept_of(run.plan, run.records).run.surroundings;
  using Named = std::pair<std::string, std::string>;
  CHECK(std::ranges::count(kept, Named("kernel", "Linux 6.1")) == 1);
  CHECK(std::ranges::count(kept, Named("build digest", "abc")) == 1);
  for (const auto& [title, text] : kept) {
    INFO(title);
    CHECK(text != "A CPU");
    CHECK(text != "m1");
  }
}

TEST_CASE("history: a run keeps how many samples its data set has", "[unit][analysis]") {
  OneSeries run;
  run.rates(run.trial_of_it, {100, 100});
  const auto is_data = [](const auto& pair) { return pair.first.starts_with(kDataPrefix); };
  CHECK(std::ranges::none_of(kept_of(run.plan, run.records).run.surroundings, is_data));
  run.records[1].facts.epochs.samples = 2048;
  const KeptRun kept = kept_of(run.plan, run.records).run;
  const auto data = std::ranges::find_if(kept.surroundings, is_data);
  REQUIRE(data != kept.surroundings.end());
  CHECK(data->first == "data of made");
  CHECK(data->second == "2,048 samples");
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
