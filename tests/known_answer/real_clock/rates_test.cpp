// Known rates of mocks on the real clock. Each case first runs against itself: where two runs of
// the same thing, or the machine's own keeping of time, differ by more than the tolerance, nothing
// can be said of it here. What else the machine does within a window only adds time: a rate is too
// low where the highest of the runs is; too high, where their median is, since a mock makes good
// what it lost before the window.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdio>

#include "tests/bare_loop.h"
#include "tests/known_answer/real_clock/real_trial.h"
#include "tests/skip.h"

namespace benchbench::test::real_rates {

constexpr int kRuns = 4;  // A B A B

struct Case {
  const char* what;
  const char *workers, *make, *step;
  double batches_per_second;
};

// Warm enough for a mock to have made good what starting up cost it: it catches up to 5 ms, in
// steps that are short.
double measured_rate(const Case& c, const char* window) {
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
  return f.window.ns > 0
             ? 1e9 * static_cast<double>(f.window.samples) / static_cast<double>(f.window.ns)
             : 0;
}

// "" where the case was judged, else how noisy the machine was.
std::string judge_rate(const Case& c, Nanoseconds step, const char* window, double tolerance) {
  std::vector<double> rates;
  for (int run = 0; run < kRuns; ++run) rates.push_back(measured_rate(c, window));
  const auto [low, high] = std::minmax_element(rates.begin(), rates.end());
  const double noise = std::max(*high / *low - 1, lateness_of_a_bare_loop(step));
  std::sort(rates.begin(), rates.end());
  const double median = (rates[1] + rates[2]) / 2;
  const double off = median / c.batches_per_second - 1;
  std::printf("%-34s known %7.1f/s, real clock %8.2f/s (%+.2f %%), A/A %.2f %%\n", c.what,
              c.batches_per_second, median, 100 * off, 100 * noise);
  char told[100];
  std::snprintf(told, sizeof told, "%s %.1f %%", c.what, 100 * noise);
  if (!(noise <= tolerance)) return told;
  INFO(c.what << ": " << median << " batches/s, known " << c.batches_per_second);
  CHECK(off <= tolerance);
  CHECK(rates.back() / c.batches_per_second - 1 >= -tolerance);
  return {};
}

// Skips where any was too noisy to judge; the others have been judged.
std::string judge_rates(const std::vector<Case>& cases, Nanoseconds step, const char* window,
                        double tolerance) {
  std::string noisy;
  for (const Case& c : cases)
    if (const std::string told = judge_rate(c, step, window, tolerance); !told.empty())
      noisy += (noisy.empty() ? "" : ", ") + told;
  return noisy;
}

TEST_CASE("real clock: mocks of 10 ms keep their known rates within 0.5 %",
          "[known_answer][real_clock]") {
  const std::string noisy =
      judge_rates({{"10 ms, no workers", "0", "6ms", "4ms", 100},
                   {"10 ms, 1 worker, both alike", "1", "10ms", "10ms", 100},
                   {"10 ms, 1 worker, loader bound", "1", "10ms", "6ms", 100},
                   {"10 ms, 1 worker, trainer bound", "1", "6ms", "10ms", 100},
                   {"10 ms, 2 workers, trainer bound", "2", "10ms", "10ms", 100},
                   {"10 ms, 2 workers, both alike", "2", "20ms", "10ms", 100}},
                  std::chrono::milliseconds{10}, "200ms", 0.005);
  if (!noisy.empty()) BENCHBENCH_SKIP("machine too noisy: " + noisy);
}

TEST_CASE("real clock: mocks of 1 ms keep their known rates within 1 %",
          "[known_answer][real_clock]") {
  const std::string noisy =
      judge_rates({{"1 ms, no workers", "0", "600us", "400us", 1000},
                   {"1 ms, 1 worker, loader bound", "1", "1ms", "600us", 1000},
                   {"1 ms, 1 worker, trainer bound", "1", "600us", "1ms", 1000},
                   {"1 ms, 2 workers, trainer bound", "2", "1ms", "1ms", 1000}},
                  std::chrono::milliseconds{1}, "150ms", 0.01);
  if (!noisy.empty()) BENCHBENCH_SKIP("machine too noisy: " + noisy);
}

// --- uncompensated
// ------------------------------------------------------------------------------------------------------

// Mocks that count from the call: what is between two calls is in the rate. The least of five runs,
// since noise only adds; ns a batch.
double min_time_entered(const char* trainer, const char* make, const char* step) {
  double min = 1e18;
  for (int run = 0; run < 5; ++run) {
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
    min = std::min(min, static_cast<double>(f.window.ns) / static_cast<double>(f.window.steps));
  }
  return min;
}

// What a batch of 1 ms may take: a hop over the queue, the timer's lateness and some readings of
// the clock more. A harness that adds 300 us of its own is six times 5 % over that.
constexpr double kEntered = 0.05, kClockReads = 12;
// The hop is measured with the harness's own fillers, whose delays are not to be excused by it: it
// takes 1-20 us.
constexpr double kLongestHop = 50'000;

double known_time_entered() {
  Environment here;
  calibrate(here);
  return 1e6 + std::min(here.queue_hop_ns, kLongestHop) + here.timer_lateness_ns +
         kClockReads * here.clock_read_ns;
}

void judge_entered(const char* what, double ns) {
  const double known = known_time_entered();
  std::printf("%-34s known %7.1f/s, real clock %8.2f/s (%+.2f %%)\n", what, 1e9 / known, 1e9 / ns,
              100 * (known / ns - 1));
  if (ns > known * (1 + kEntered) &&
      lateness_of_a_bare_loop(std::chrono::milliseconds{1}) > kEntered)
    BENCHBENCH_SKIP(std::string("machine too noisy: ") + what);
  CHECK(ns >= 1e6 * 0.99);
  CHECK(ns <= known * (1 + kEntered));
}

TEST_CASE("real uncompensated: a worker's 1 ms costs a hand-over more, and nothing else",
          "[known_answer][real_clock]") {
  judge_entered("1 ms entered, into discard", min_time_entered("discard", "1ms", nullptr));
}

TEST_CASE("real uncompensated: a trainer's 1 ms costs a hand-over more, and nothing else",
          "[known_answer][real_clock]") {
  judge_entered("1 ms entered, timed", min_time_entered("timed", "100us", "1ms"));
}

// What the trainer's thread reads before the window takes some 2 ms, in which the worker goes on:
// its batches are not to be the window's. The first wait of the window is as long as the others.
TEST_CASE("real uncompensated: no batch is made ahead of the window's begin",
          "[known_answer][real_clock]") {
  std::vector<std::int64_t> first;
  for (int run = 0; run < 5; ++run) {
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
    first.push_back(record.raw_series.at("get_blocked").at(0));
  }
  std::sort(first.begin(), first.end());
  std::printf("first wait of a window, 8 ms a batch: %.3f ms\n",
              static_cast<double>(first[2]) * 1e-6);
  constexpr std::int64_t kMin = 7'800'000;
  if (first[2] < kMin && lateness_of_a_bare_loop(std::chrono::milliseconds{1}) > kEntered)
    BENCHBENCH_SKIP("machine too noisy");
  CHECK(first[2] >= kMin);
}

}  // namespace benchbench::test::real_rates
