// Windows of steps of which every so many are followed by something that takes its time.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

#include "harness/analysis/rules/rules.h"
#include "tests/unit/trial/trial_of_mocks.h"

namespace benchbench::test::bursts {
namespace {

constexpr std::int64_t kMs = 1'000'000;

struct Every {
  std::int64_t steps, ms;
};

// `ms` after each of so many steps of 10 ms; a batch takes a worker 3 ms.
TrialOfMocks mocks_with(const Every& every, std::string_view workers) {
  TrialOfMocks mocks("synthetic", "timed",
                     {{"loader.num_workers", workers},
                      {"loader.batch_time", "3ms"},
                      {"trainer.step_time", "10ms"},
                      {"measure.warmup", "0s"},
                      {"measure.window", "400ms"}});
  mocks.change({{"trainer.postprocess.every", std::to_string(every.steps)},
                {"trainer.postprocess.time", std::to_string(every.ms) + "ms"}});
  return mocks;
}

WindowFacts window_of(const Trial& trial) {
  const TrialRecord record = run_simulated(trial);
  INFO(reasons_of(record));
  REQUIRE(record.status == Status::valid);
  return record.facts.window;
}

}  // namespace

// Printed before: 2,240 samples/s. Of 20 batches of 32 each step takes 10 ms, and one 100 ms more.
TEST_CASE("periods: 100 ms after every 20th step of 10 ms are 15 ms a step",
          "[known_answer][bursts]") {
  for (const char* workers : {"0", "2"}) {
    INFO(workers << " workers");
    const WindowFacts w = window_of(TrialOfMocks("synthetic", "timed",
                                                 {{"loader.num_workers", workers},
                                                  {"loader.batch_size", "32"},
                                                  {"trainer.step_time", "10ms"},
                                                  {"trainer.postprocess.every", "20"},
                                                  {"trainer.postprocess.time", "100ms"}})
                                        .trial());
    CHECK(static_cast<std::int64_t>(w.samples) * 15 * kMs == 32 * w.ns);
    CHECK(w.pace_range_ns.value_or(-1) == 0);
  }
}

// The trainer is the slower side: with workers a batch is always there, and without them its 3 ms
// are part of each step.
TEST_CASE("periods: a window holds whole ones, wherever it begins", "[known_answer][bursts]") {
  for (const char* workers : {"0", "1", "3", "8"})
    for (const Every& every :
         {Every{1, 5}, Every{2, 7}, Every{7, 30}, Every{20, 100}, Every{64, 1}}) {
      INFO(workers << " workers, " << every.ms << " ms every " << every.steps << " steps");
      const WindowFacts w = window_of(mocks_with(every, workers).trial());
      const auto steps = static_cast<std::int64_t>(w.steps);
      CHECK(steps % every.steps == 0);
      CHECK(w.steps % w.burst == 0);
      CHECK(w.ns ==
            steps * (workers[0] == '0' ? 13 : 10) * kMs + steps / every.steps * every.ms * kMs);
      CHECK(w.pace_range_ns.value_or(-1) == 0);
    }
}

// Four batches every 100 ms, of which the trainer takes 4 ms, and 30 ms more now and then.
TEST_CASE("periods: what a loader hides costs its pipeline nothing", "[known_answer][bursts]") {
  for (const char* every : {"7", "20"}) {
    INFO("every " << every);
    const WindowFacts w = window_of(TrialOfMocks("synthetic", "timed",
                                                 {{"loader.num_workers", "4"},
                                                  {"loader.batch_time", "100ms"},
                                                  {"trainer.step_time", "1ms"},
                                                  {"trainer.postprocess.every", every},
                                                  {"trainer.postprocess.time", "30ms"}})
                                        .trial());
    CHECK(w.steps % std::strtoull(every, nullptr, 10) == 0);
    CHECK(4 * w.ns == static_cast<std::int64_t>(w.steps) * 100 * kMs);
    CHECK(w.pace_range_ns.value_or(-1) == 0);
  }
}

// 1,500 steps of 10 ms are longer than ten windows of 1 s.
TEST_CASE("periods: one that is far too long for the window is not waited for, and a doubt",
          "[known_answer][bursts]") {
  TrialOfMocks mocks = mocks_with({1500, 100}, "2");
  mocks.change({{"measure.window", "1s"}});
  const TrialRecord record = run_simulated(mocks.trial());
  CHECK(record.facts.window.ns == 1'000 * kMs);
  const auto fired = find_rule("R07")->check(record);
  REQUIRE(fired);
  CHECK_FALSE(fired->invalid);
  CHECK(
      fired->text ==
      "100 batches in the window, and trainer.postprocess.every is 1500: it holds one such step or "
      "none; set measure.window_batches to 1500");
  mocks.change({{"measure.window_batches", "1500"}});
  const TrialRecord whole = run_simulated(mocks.trial());
  CHECK(whole.facts.window.steps == 1500);
  CHECK(whole.facts.window.ns == 15'100 * kMs);
  CHECK_FALSE(find_rule("R07")->check(whole));
}

// Printed before: 1,829 samples/s, "exact", for 1,920. 400 steps are whole bursts of 16 and whole
// periods of 50; whole periods of 150 too would be 1,200 steps, and ten windows are 1,000 at most.
TEST_CASE("periods: where one of two does not fit the rate is not exact, and in its interval",
          "[known_answer][bursts]") {
  const WindowFacts w = window_of(TrialOfMocks("synthetic", "timed",
                                               {{"loader.num_workers", "16"},
                                                {"trainer.step_time", "10ms"},
                                                {"trainer.log_every", "50"},
                                                {"trainer.postprocess.every", "150"},
                                                {"trainer.postprocess.time", "1s"}})
                                      .trial());
  const auto steps = static_cast<std::int64_t>(w.steps);
  CHECK(steps == 400);
  const std::int64_t off = 3 * w.ns - steps * 50 * kMs;  // 10 ms and a 150th of a second a step
  CHECK(off != 0);
  CHECK(std::abs(off) <= 3 * w.pace_range_ns.value_or(0));
}

// 250 s of work after every 100 steps: it is in the window by chance, which ends with it.
TEST_CASE("periods: one that takes longer than ten windows ends the window, and is a doubt",
          "[known_answer][bursts]") {
  TrialOfMocks mocks = mocks_with({100, 250'000}, "2");
  const TrialRecord record = run_simulated(mocks.trial());
  const WindowFacts& w = record.facts.window;
  const auto steps = static_cast<std::int64_t>(w.steps);
  CHECK(steps % 2 == 0);
  CHECK(steps < 100);
  CHECK(w.ns == (steps * 10 + 250'000) * kMs);
  CHECK(w.ns - steps * 2'510 * kMs <= w.pace_range_ns.value_or(0));
  CHECK(find_rule("R07")->check(record));
}

// The steps that follow say how many of them ten windows hold.
TEST_CASE("periods: a first step of 3 s does not make the window's steps seem long",
          "[known_answer][bursts]") {
  std::vector<std::int64_t> times(100'000, 10 * kMs);
  times.front() = 3'000 * kMs;
  for (const char* workers : {"0", "4"}) {
    INFO(workers << " workers");
    TrialOfMocks mocks("synthetic", "replay",
                       {{"loader.num_workers", workers},
                        {"loader.batch_time", workers[0] == '0' ? "0s" : "1ms"},
                        {"trainer.postprocess.every", "20"},
                        {"trainer.postprocess.time", "100ms"},
                        {"measure.warmup", "0s"},
                        {"measure.window", "400ms"}});
    const Facts f = run_simulated(mocks.trial(), {}, {}, times).facts;
    const auto steps = static_cast<std::int64_t>(f.window.steps);
    CHECK(steps % 20 == 0);
    CHECK(f.window.ns == steps * 15 * kMs);
    // The first fill of 8 and a burst of 4 end 110 ms past the first step. Divided by the 8 past
    // the first burst that is 13.75 ms, and 55 ms a burst: 6 steps more, to the middle of one.
    const std::uint64_t before = workers[0] == '0' ? 1 : 18;
    CHECK(f.accounting.delivered - f.window.samples == 4 * before);
  }
}

// Steps of 5 ms, then of 15 ms: of the window's 60 steps 49 and 11. They take 410 ms, and what
// follows one of them 100 ms. At an even pace the 49 end 49 * 410 / 60 - 245 = 89.83 ms later.
TEST_CASE("periods: a window of one shows what else in it is uneven", "[known_answer][bursts]") {
  std::vector<std::int64_t> times(100, 5 * kMs);
  std::fill(times.begin() + 50, times.end(), 15 * kMs);
  TrialOfMocks mocks("synthetic", "replay",
                     {{"loader.num_workers", "0"},
                      {"trainer.postprocess.every", "60"},
                      {"trainer.postprocess.time", "100ms"},
                      {"measure.warmup", "0s"},
                      {"measure.window", "400ms"}});
  const WindowFacts w = run_simulated(mocks.trial(), {}, {}, times).facts.window;
  CHECK(w.steps == 60);
  CHECK(w.ns == 510 * kMs);
  CHECK(w.pace_range_ns.value_or(-1) == 89'833'333);
}

}  // namespace benchbench::test::bursts
