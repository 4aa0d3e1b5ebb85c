// The identities that rules hold every trial to, on real threads. They hold however noisy the
// machine is: noise moves time from one term of a thread to another and takes none away, and the
// queue's depth and its batches' stays are of the same readings of the clock.
#include <catch2/catch.hpp>

#include "harness/pipeline/thread_meter.h"
#include "harness/trial/readings/clock_slew.h"
#include "tests/unit/trial/trial_of_mocks.h"

namespace benchbench::test {
namespace identities {

constexpr double kTolerance = 0.005;

TrialRecord run_for_real(TrialOfMocks::Changes changes) {
  TrialOfMocks mocks("synthetic", "timed",
                     {{"loader.batch_time", "1ms"},
                      {"trainer.step_time", "1ms"},
                      {"measure.warmup", "20ms"},
                      {"measure.window", "150ms"}});
  mocks.change(changes);
  ExecutorContext context{.catalog = built_in_catalog(),
                          .environment = {},
                          .dataset = {},
                          .expected_digest = {},
                          .simulated = false,
                          .stop = nullptr,
                          .progress = {}};
  context.environment.cores_available = 2;
  return run_trial(mocks.trial(), {}, context);
}

double share(std::int64_t sum, std::int64_t whole) {
  return std::abs(static_cast<double>(sum) / static_cast<double>(whole) - 1);
}

void check_times(const Facts& f) {
  REQUIRE(f.window.ns > 0);
  const LoopTimes& l = f.window.loop;
  REQUIRE(l.core_wait_ns.has_value());
  CHECK(share(l.get_ns + *l.core_wait_ns + l.accounting_ns + l.step_ns + l.after_ns + l.report_ns,
              f.window.ns) < kTolerance);
  REQUIRE(f.workers.each.size() == f.workers.count);
  for (const WorkerTimes& w : f.workers.each)
    CHECK(share(w.fill_ns + w.slot_wait_ns + w.queue_ns, f.window.ns) < kTolerance);
  CHECK(f.queue.batches > 0);
  CHECK(f.queue.depth_ns == f.queue.stay_ns);
  CHECK(f.instrument.clock_slew_ppm.has_value());
}

}  // namespace identities
using namespace identities;

TEST_CASE("real threads: every thread's time and the queue's depth add up", "[unit][trial]") {
  for (const char* workers : {"0", "1", "3"})
    for (const char* batch_time : {"300us", "1ms", "4ms"}) {
      INFO(workers << " workers, " << batch_time << " a batch");
      const TrialRecord record =
          run_for_real({{"loader.num_workers", workers}, {"loader.batch_time", batch_time}});
      INFO(reasons_of(record));
      check_times(record.facts);
    }
}

TEST_CASE("clock slew: parts per million of the raw clock's time", "[unit][trial]") {
  CHECK(*clock_slew_ppm({0, 0}, {1'000'000'100, 1'000'000'000}) == Approx(0.1));
  CHECK(*clock_slew_ppm({500, 70}, {500 + 999'500'000, 70 + 1'000'000'000}) == Approx(-500));
  CHECK_FALSE(clock_slew_ppm({0, 5}, {10, 5}).has_value());
  const auto before = read_clock_pair();
  REQUIRE(before.has_value());
  const auto after = read_clock_pair();
  CHECK(after->monotonic > before->monotonic);
  CHECK(after->raw > before->raw);
}

TEST_CASE("timer lateness: a median, a 99th percentile and a largest, in order", "[unit][trial]") {
  const auto runtime = make_real_runtime();
  const Lateness late = timer_lateness(*runtime, 20, std::chrono::microseconds{100});
  CHECK(late.median_ns >= 0);
  CHECK(late.p99_ns >= late.median_ns);
  CHECK(late.max_ns >= late.p99_ns);
  const auto simulated = make_simulated_runtime();
  struct Waits final : Job {
    explicit Waits(Runtime& r) : runtime(r) {}
    void run() override { late = timer_lateness(runtime, 5, std::chrono::milliseconds{1}); }
    Runtime& runtime;
    Lateness late{1, 1, 1};
  } waits(*simulated);
  simulated->run(waits);
  CHECK(waits.late.max_ns == 0);
}

TEST_CASE("thread meter: late values count to the window of their step", "[unit][trial]") {
  ThreadMeter meter({.observer = 1});
  meter.count_from(10);
  meter.record(9, Stage::forward, Nanoseconds{1000});  // of the window before: it is over
  meter.record(12, Stage::forward, Nanoseconds{30});
  meter.record(10, Stage::forward, Nanoseconds{7});  // late, and of this window
  CHECK(meter.totals().stages[static_cast<std::size_t>(Stage::forward)].ns == 37);
  meter.count_from(20);
  meter.record(12, Stage::forward, Nanoseconds{30});
  meter.record(20, Stage::forward, Nanoseconds{5});
  CHECK(meter.totals().stages[static_cast<std::size_t>(Stage::forward)].ns == 5);
  CHECK(meter.time_in(Stage::forward) == Nanoseconds{5});
}

}  // namespace benchbench::test
