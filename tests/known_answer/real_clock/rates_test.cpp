// Known rates of mocks on the real clock.
#include <catch2/catch.hpp>

#include "tests/control.h"
#include "tests/known_answer/real_trial.h"

namespace benchbench::test::real_rates {

using std::chrono::milliseconds;

struct Case {
  const char* what;
  const char *workers, *make, *step;
  bool trainer_bound = false;
};

// Nanoseconds a batch; of a trainer that is the limit without its waits for a core, which are no
// part of its steps and which no loader hides. The warm-up lets a mock make good what starting up
// cost it: it catches up to 5 ms, in pieces that are short.
double time_a_batch(const Case& c, const char* window) {
  const Facts f = run_on_real_clock(TrialOfMocks("synthetic", "timed",
                                                 {{"loader.num_workers", c.workers},
                                                  {"loader.batch_time", c.make},
                                                  {"loader.batch_size", "1"},
                                                  {"loader.wait", "hybrid"},
                                                  {"trainer.step_time", c.step},
                                                  {"trainer.wait", "hybrid"},
                                                  {"measure.window", window},
                                                  {"measure.window_batches", "5"},
                                                  {"measure.warmup", "40ms"}})
                                        .trial())
                      .facts;
  REQUIRE(f.window.samples > 0);
  REQUIRE(f.window.loop.core_wait_ns.has_value());
  const std::int64_t ns = f.window.ns - (c.trainer_bound ? *f.window.loop.core_wait_ns : 0);
  return static_cast<double>(ns) / static_cast<double>(f.window.samples);
}

// All cases take `known` a batch.
void judge_rates(const std::vector<Case>& cases, Nanoseconds known, const char* window,
                 double tolerance) {
  std::vector<TimedTrial> trials;
  for (const Case& c : cases)
    trials.push_back(
        {c.what, [=] { return time_a_batch(c, window) / static_cast<double>(known.count()) - 1; },
         -tolerance, tolerance});
  judge_by_control({3, known}, tolerance / 2, trials);
}

TEST_CASE("real clock: mocks of 10 ms keep their known rates within 0.5 %",
          "[known_answer][real_clock]") {
  judge_rates({{"10 ms, no workers", "0", "6ms", "4ms"},
               {"10 ms, 1 worker, both alike", "1", "10ms", "10ms"},
               {"10 ms, 1 worker, loader bound", "1", "10ms", "6ms"},
               {"10 ms, 1 worker, trainer bound", "1", "6ms", "10ms", true},
               {"10 ms, 2 workers, trainer bound", "2", "10ms", "10ms", true},
               {"10 ms, 2 workers, both alike", "2", "20ms", "10ms"}},
              milliseconds{10}, "150ms", 0.005);
}

TEST_CASE("real clock: mocks of 1 ms keep their known rates within 1 %",
          "[known_answer][real_clock]") {
  judge_rates({{"1 ms, no workers", "0", "600us", "400us"},
               {"1 ms, 1 worker, loader bound", "1", "1ms", "600us"},
               {"1 ms, 1 worker, trainer bound", "1", "600us", "1ms", true},
               {"1 ms, 2 workers, trainer bound", "2", "1ms", "1ms", true}},
              milliseconds{1}, "100ms", 0.01);
}

// --- uncompensated

// Mocks that count from the call: what is between two calls is in the rate. Nanoseconds a batch.
double time_entered(const char* trainer, const char* make, const char* step) {
  TrialOfMocks mocks("synthetic", trainer,
                     {{"loader.num_workers", "1"},
                      {"loader.batch_time", make},
                      {"loader.batch_size", "1"},
                      {"loader.pace", "entered"},
                      {"measure.window", "100ms"},
                      {"measure.window_batches", "5"},
                      {"measure.warmup", "20ms"}});
  if (step) mocks.change({{"trainer.step_time", step}, {"trainer.pace", "entered"}});
  const Facts f = run_on_real_clock(mocks.trial()).facts;
  REQUIRE(f.window.steps > 0);
  return static_cast<double>(f.window.ns) / static_cast<double>(f.window.steps);
}

// The control hands over as well, once a batch; the harness may take two more. A harness that adds
// 300 us of its own is six times 5 % over that.
void judge_entered(const char* what, const char* trainer, const char* make, const char* step) {
  const auto longer = [=] { return time_entered(trainer, make, step) / 1e6 - 1; };
  constexpr double kEntered = 0.05;
  judge_by_control({1, milliseconds{1}, true}, kEntered / 2, {{what, longer, -0.01, kEntered, 1}});
}

TEST_CASE("real uncompensated: a worker's 1 ms costs a hand-over more, and nothing else",
          "[known_answer][real_clock]") {
  judge_entered("1 ms entered, into discard", "discard", "1ms", nullptr);
}

TEST_CASE("real uncompensated: a trainer's 1 ms costs a hand-over more, and nothing else",
          "[known_answer][real_clock]") {
  judge_entered("1 ms entered, timed", "timed", "100us", "1ms");
}

// Nanoseconds.
double first_wait_of_a_window() {
  const TrialRecord record = run_on_real_clock(TrialOfMocks("synthetic", "discard",
                                                            {{"loader.num_workers", "1"},
                                                             {"loader.batch_time", "8ms"},
                                                             {"loader.batch_size", "1"},
                                                             {"loader.pace", "entered"},
                                                             {"measure.window", "20ms"},
                                                             {"measure.window_batches", "3"},
                                                             {"measure.warmup", "20ms"},
                                                             {"measure.probe_every", "10ms"}})
                                                   .trial());
  return static_cast<double>(record.raw_series.at("get_blocked").at(0));
}

// What the trainer's thread reads before the window takes some 2 ms, in which the worker goes on:
// its batches are not to be the window's. The first wait of the window is as long as the others,
// less what the thread took to wake from the one before. A batch made ahead would take 2 of its 8
// ms, 25 %.
TEST_CASE("real uncompensated: no batch is made ahead of the window's begin",
          "[known_answer][real_clock]") {
  const auto longer = [] { return first_wait_of_a_window() / 8e6 - 1; };
  judge_by_control({2, milliseconds{8}, true}, 0.025 / 2,
                   {{"first wait of a window", longer, -0.1, 10}});
}

}  // namespace benchbench::test::real_rates
