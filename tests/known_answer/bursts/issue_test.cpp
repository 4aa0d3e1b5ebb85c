// Rates that a window cut as it ended in a burst of several workers, as users saw them.
#include <catch2/catch.hpp>

#include "harness/analysis/rates/phase.h"
#include "harness/analysis/rules/judged_trials.h"
#include "harness/report/text/cells.h"
#include "tests/unit/trial/trial_of_mocks.h"

namespace benchbench::test::bursts {
namespace {

constexpr std::uint32_t kRounds = 5;

std::vector<Facts> rounds_of(const Trial& trial) {
  std::vector<Facts> rounds;
  for (std::uint32_t round = 0; round < kRounds; ++round) {
    const TrialRecord record = run_simulated(trial, {0, round, 0});
    INFO(reasons_of(record));
    REQUIRE(record.status == Status::valid);
    rounds.push_back(record.facts);
  }
  return rounds;
}

// Returns the rate with the interval of a report.
Measured rate_of(const std::vector<Facts>& rounds) {
  std::vector<double> logs;
  double phase = 0;
  for (const Facts& f : rounds) {
    logs.push_back(log_rate(f).value());
    phase += phase_share(f) / kRounds;
  }
  return estimate_cut_rates(logs, phase);
}

// 32 samples a batch, 400 ms of one worker each; where there is a step it takes 20 ms.
Trial slow_batches(const char* workers, const char* trainer) {
  TrialOfMocks mocks("synthetic", trainer,
                     {{"loader.num_workers", workers},
                      {"loader.batch_size", "32"},
                      {"loader.batch_time", "400ms"}});
  if (std::string_view(trainer) == "timed") mocks.change({{"trainer.step_time", "20ms"}});
  return mocks.trial();
}

}  // namespace

// Printed before: 187, 267 and 587 samples/s, "exact", and with the step 276, above the loader.
TEST_CASE("bursts: L and F of 3, 4 and 8 workers are exactly what their batches take",
          "[known_answer][bursts]") {
  struct Case {
    const char* workers;
    std::int64_t rate;
    std::uint64_t burst;
    const char* printed;
  };
  for (const Case& c : {Case{"3", 240, 3, "240 exact"}, Case{"4", 320, 4, "320 exact"},
                        Case{"8", 640, 8, "640 exact"}})
    for (const char* trainer : {"discard", "timed"}) {
      INFO(c.workers << " workers, " << trainer);
      const std::vector<Facts> rounds = rounds_of(slow_batches(c.workers, trainer));
      for (const Facts& f : rounds) {
        CHECK(static_cast<std::int64_t>(f.window.samples) * 1'000'000'000 == c.rate * f.window.ns);
        CHECK(f.window.burst == c.burst);
        CHECK(f.window.steps % c.burst == 0);
        CHECK(f.window.steps >= 2 * c.burst);
        CHECK(f.window.pace_range_ns.value_or(-1) == 0);
      }
      CHECK(rate_cell(rate_of(rounds)) == c.printed);
    }
}

// 4 workers: batches 21 to 24 arrive together at 2.4 s, where the window begins after two of them.
TEST_CASE("bursts: a window begins and ends in the middle of one", "[known_answer][bursts]") {
  const TrialRecord record = run_simulated(slow_batches("4", "discard"));
  std::vector<std::int64_t> waits;
  for (const std::int64_t wait : {0, 0, 400, 0, 0, 0, 400, 0, 0, 0, 400, 0})
    waits.push_back(wait * 1'000'000);
  CHECK(record.raw_series.at("get_blocked") == waits);
  CHECK(record.facts.window.ns == 1'200'000'000);
}

// The first fill of the queue and a burst are not counted: 6 and 3 batches of three workers, which
// end at 21 ms, nor the 8 ms that three of them took on average: 16 ms past the first step's end,
// divided by the 6 batches past the first burst. From there it is one to the middle of a burst. Of
// one worker 2 and 1.
TEST_CASE("bursts: a window begins past the first fill of the queue", "[known_answer][bursts]") {
  struct Case {
    const char* workers;
    std::uint64_t steps;
  };
  for (const Case& c : {Case{"0", 1}, Case{"1", 3}, Case{"3", 14}}) {
    const Facts f = run_simulated(TrialOfMocks("synthetic", "timed",
                                               {{"loader.num_workers", c.workers},
                                                {"loader.batch_time", "3ms"},
                                                {"trainer.step_time", "2ms"},
                                                {"measure.warmup", "0s"}})
                                      .trial())
                        .facts;
    INFO(c.workers << " workers");
    CHECK(f.accounting.delivered - f.window.samples == 4 * c.steps);
  }
}

TEST_CASE("bursts: a window that is shorter than one holds two", "[known_answer][bursts]") {
  TrialOfMocks mocks("synthetic", "discard",
                     {{"loader.num_workers", "4"},
                      {"loader.batch_time", "400ms"},
                      {"measure.window", "1ns"},
                      {"measure.window_batches", "1"}});
  const Facts f = run_simulated(mocks.trial()).facts;
  CHECK(f.window.steps == 8);
  CHECK(f.window.ns == 800'000'000);
}

// It has the middle of the first burst before it, and is void by R07: only its step counts.
TEST_CASE("bursts: a probe takes one, and waits for none", "[known_answer][bursts]") {
  TrialOfMocks mocks("synthetic", "discard",
                     {{"loader.num_workers", "4"},
                      {"loader.batch_time", "400ms"},
                      {"measure.warmup", "0s"},
                      {"measure.window", "50ms"},
                      {"measure.window_batches", "3"}});
  Trial trial = mocks.trial();
  trial.settings.set("measure.probe", {ParameterType::boolean, true});
  const Facts f = run_simulated(trial).facts;
  CHECK(f.window.steps == 4);
  CHECK(f.window.ns == 400'000'000);
  CHECK(f.accounting.delivered - f.window.samples == 4 * 2);
}

// Printed before: 79.5 samples/s ± 1 %. A sample of 107,812 bytes takes 30 ms and, at 75 MB/s of a
// connection, 1.4375 ms.
TEST_CASE("bursts: two workers before an emulated s3 give what their connections give",
          "[known_answer][bursts]") {
  Trial trial = TrialOfMocks("synthetic", "discard",
                             {{"loader.num_workers", "2"},
                              {"loader.batch_size", "16"},
                              {"loader.sample_bytes", "107812B"}})
                    .trial();
  trial.settings.set("dataset.storage.like", {ParameterType::choice, std::string("s3")});
  const Measured rate = rate_of(rounds_of(trial));
  REQUIRE(rate);
  CHECK(rate->value == Approx(2 / 31.4375e-3).epsilon(1e-4));
}

// An epoch of 100 samples is 32, 32, 32 and 4: 25 on average. The window holds 4, 32, 32, 32, 4.
TEST_CASE("bursts: windows of epochs with a short last batch are never exact, and in the interval",
          "[known_answer][bursts]") {
  const std::vector<Facts> rounds = rounds_of(TrialOfMocks("synthetic", "discard",
                                                           {{"loader.num_workers", "1"},
                                                            {"loader.batch_size", "32"},
                                                            {"loader.drop_last", "false"},
                                                            {"loader.batch_time", "10ms"},
                                                            {"measure.warmup", "0s"},
                                                            {"measure.window", "1ns"}})
                                                  .trial());
  CHECK(rounds[0].window.samples == 104);
  CHECK(rounds[0].window.ns == 50'000'000);
  const Measured rate = rate_of(rounds);
  REQUIRE(rate);
  CHECK(spread_text(*rate) != "exact");
  CHECK(rate->low <= 2500);
  CHECK(rate->high >= 2500);
}

}  // namespace benchbench::test::bursts
