// How much of a rate the cut of its windows leaves unknown, and pipelines that are faster than a
// side alone.
#include <catch2/catch.hpp>

#include "harness/analysis/conclusion/analyse.h"
#include "harness/analysis/findings.h"
#include "harness/analysis/rates/phase.h"
#include "harness/analysis/rules/judged_trials.h"
#include "harness/analysis/rules/rate_order.h"
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

// A loader, a trainer and a pipeline with these rates, one a round.
struct Sides : MadeRun {
  explicit Sides(bool simulated) : simulated_(simulated) {}

  void add(Mode mode, std::vector<double> by_round, double pace_share = 0) {
    const std::uint32_t t = trial(point_, mode);
    rates(t, std::move(by_round));
    for (TrialRecord& r : records) {
      if (r.planned.trial != t) continue;
      r.facts.simulated = simulated_;
      r.facts.window.burst = 1;
      r.facts.window.pace_range_ns =
          std::llround(pace_share * static_cast<double>(r.facts.window.ns));
    }
  }

  JudgedTrials judged() const { return {plan, records}; }
  // The statuses of the pipeline's rounds, which are all alike, and what rule I05 said.
  std::pair<Status, std::string> pipeline() const {
    const JudgedTrials trials = judged();
    const auto all = trials.of(trials.all().back().record->planned.trial);
    std::string said;
    for (const Reason& r : all.front().reasons)
      if (r.rule == kRateOrder) said += r.text + "\n";
    for (const JudgedRecord& r : all) CHECK(r.status == all.front().status);
    return {all.front().status, said};
  }

  std::uint32_t point_ = point({}, settings(2));
  bool simulated_;
};

Sides pair_of(bool simulated, Mode side, std::vector<double> alone, std::vector<double> both,
              double pace_share = 0) {
  Sides run(simulated);
  run.add(side, std::move(alone));
  run.add(Mode::pipeline, std::move(both), pace_share);
  return run;
}

}  // namespace

TEST_CASE("phase: what steps stray from their pace, of the window", "[unit][analysis]") {
  Facts f = test::good_facts(120);  // 12 batches in a second
  f.workers.count = 4;
  f.window.pace_range_ns = kSecond / 50;
  CHECK(phase_share(f) == Approx(0.02));
  // From before it was known: in virtual time every window cut a burst at the same place.
  f.window.pace_range_ns.reset();
  CHECK(phase_share(f) == 0);
  f.simulated = true;
  CHECK(phase_share(f) == Approx(3.0 / 12));
  f.workers.count = 1;
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

TEST_CASE("order of rates: in virtual time a pipeline above a side is INVALID, with the share",
          "[unit][analysis]") {
  const auto [status, said] = pair_of(true, Mode::loader, {267, 267}, {276, 276}).pipeline();
  CHECK(status == Status::invalid);
  CHECK_THAT(said, Catch::Contains("276 samples/s are 3.37 % above") &&
                       Catch::Contains("its loader alone"));
  CHECK_THAT(pair_of(true, Mode::trainer, {100}, {101}).pipeline().second,
             Catch::Contains("its trainer alone"));
  CHECK(pair_of(true, Mode::loader, {276, 276}, {276, 276}).pipeline().first == Status::valid);
  CHECK(pair_of(true, Mode::loader, {276, 276}, {267, 267}).pipeline().first == Status::valid);
  // The loader's record says nothing wrong by itself.
  const Sides run = pair_of(true, Mode::loader, {267, 267}, {276, 276});
  CHECK(run.judged().of(0).front().status == Status::valid);
  CHECK(run.judged().judgement_of(run.records.back()).status == Status::invalid);
}

TEST_CASE("order of rates: what rounds and cut windows allow is no pipeline above a side",
          "[unit][analysis]") {
  // 1 and 3 % above, while steps stray by 1 % of the window: twice that is allowed, in one round
  // alone three times.
  CHECK(pair_of(true, Mode::loader, {100, 100}, {101, 101}, 0.01).pipeline().first ==
        Status::valid);
  CHECK(pair_of(true, Mode::loader, {100, 100}, {103, 103}, 0.01).pipeline().first ==
        Status::invalid);
  CHECK(pair_of(true, Mode::loader, {100}, {102.9}, 0.01).pipeline().first == Status::valid);
  // A window of a second that is 100 ns shorter.
  CHECK(pair_of(true, Mode::loader, {999'999.9, 999'999.9}, {1e6, 1e6}).pipeline().first ==
        Status::valid);
  // 3 % above on average, in rounds that differ by as much.
  CHECK(pair_of(true, Mode::loader, {100, 100, 100}, {100, 103, 106}).pipeline().first ==
        Status::valid);
}

TEST_CASE("order of rates: on the real clock it is a doubt, from 2 % and two rounds on",
          "[unit][analysis]") {
  const auto [status, said] = pair_of(false, Mode::loader, {100, 100}, {103, 103}).pipeline();
  CHECK(status == Status::noisy);
  CHECK_THAT(said, Catch::Contains("above those of its loader alone"));
  CHECK(pair_of(false, Mode::loader, {100, 100}, {101.5, 101.5}).pipeline().first == Status::valid);
  CHECK(pair_of(false, Mode::loader, {100}, {150}).pipeline().first == Status::valid);
}

TEST_CASE("order of rates: a side that had not the same to do is not looked at",
          "[unit][analysis]") {
  Sides tokens = pair_of(true, Mode::trainer, {100, 100}, {110, 110});
  CHECK(tokens.pipeline().first == Status::invalid);
  for (TrialRecord& r : tokens.records) r.facts.elements.count = 1000;
  CHECK(tokens.pipeline().first == Status::valid);
  Sides resident = pair_of(true, Mode::trainer, {100, 100}, {110, 110});
  resident.plan.points[0].settings.set("loader.residency", test::words("device"));
  CHECK(resident.pipeline().first == Status::valid);
  Sides decoded = pair_of(true, Mode::trainer, {100, 100}, {110, 110});
  decoded.plan.points[0].settings.set("loader.decode.backend", test::words("nvjpeg"));
  CHECK(decoded.pipeline().first == Status::valid);
  Sides locked = pair_of(true, Mode::loader, {100, 100}, {102, 102});
  CHECK(locked.pipeline().first == Status::invalid);
  for (TrialRecord& r : locked.records)
    r.facts.window.stages[static_cast<std::size_t>(Stage::lock)] = {1000, 10};
  CHECK(locked.pipeline().first == Status::valid);
  Sides own = pair_of(true, Mode::trainer, {100, 100}, {110, 110});
  for (TrialRecord& r : own.records) r.facts.external.emplace();
  CHECK(own.pipeline().second == "");
}

TEST_CASE("order of rates: a DataLoader in Python is looked at, where it did the same alone",
          "[unit][analysis]") {
  const auto python = [](Mode side, std::vector<double> both, ExternalWay alone,
                         const char* kind = "DataLoader") {
    Sides run = pair_of(false, side, {100, 100, 100}, std::move(both));
    for (TrialRecord& r : run.records) {
      ExternalFacts& e = r.facts.external.emplace();
      e.way = r.planned.trial == 0 ? alone : ExternalWay::all_there;
      e.kind = kind, e.loader_call = "train.py:make_data";
      r.facts.window.pace_range_ns.reset();
    }
    return run.pipeline().second;
  };
  const std::vector<double> above{105, 105, 105};
  CHECK_THAT(python(Mode::loader, above, ExternalWay::self_timed),
             Catch::Contains("105 samples/s are 5 % above those of its loader alone"));
  CHECK(python(Mode::loader, {101, 101, 101}, ExternalWay::self_timed).empty());
  // 5 % on average, in rounds that differ by as much.
  CHECK(python(Mode::loader, {100, 105, 110}, ExternalWay::self_timed).empty());
  // The held batches of a step, a copy that the pipeline had not, batches made ahead.
  CHECK(python(Mode::trainer, above, ExternalWay::replayed).empty());
  CHECK(python(Mode::loader, above, ExternalWay::hand_over).empty());
  CHECK(python(Mode::loader, above, ExternalWay::self_timed, "iterable").empty());
}

TEST_CASE("window rates: the rate, the step and the waits of one record", "[unit][analysis]") {
  Facts f;
  f.window.samples = 300, f.window.steps = 10, f.window.ns = 2 * kSecond;
  CHECK(rate_of(f) == Approx(150));
  CHECK(*log_rate(f) == Approx(std::log(150.0)));
  CHECK(*step_ms(f) == Approx(200));
  CHECK_FALSE(waited_share(f));
  CHECK_FALSE(part_of_step_ms(f, waited_share(f)));
  f.window.loop.step_ns = f.window.ns, f.window.loop.get_ns = f.window.ns / 4;
  CHECK(*part_of_step_ms(f, waited_share(f)) == Approx(50));
  f.window.steps = 0;
  CHECK_FALSE(step_ms(f));
  f.window.samples = 0;
  CHECK(rate_of(f) == 0);
  CHECK_FALSE(log_rate(f));
  f.window.samples = 300, f.window.ns = 0;
  CHECK(rate_of(f) == 0);
}

TEST_CASE("window rates: a rate may be used where its trial is VALID or NOISY",
          "[unit][analysis]") {
  TrialRecord r;
  r.facts = test::good_facts(100);
  for (const Status usable : {Status::valid, Status::noisy}) {
    r.status = usable;
    CHECK(is_usable_rate(r));
  }
  for (const Status other : {Status::invalid, Status::failed, Status::aborted, Status::skipped}) {
    r.status = other;
    CHECK_FALSE(is_usable_rate(r));
  }
  r.status = Status::valid, r.facts.window.samples = 0;
  CHECK_FALSE(is_usable_rate(r));
}

}  // namespace benchbench::window_rates_test
