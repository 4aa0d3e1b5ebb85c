// A get waits for data until its batch is there, and from then on for a core.
#include "harness/trial/step_loop.h"

#include <catch2/catch.hpp>
#include <numeric>
#include <utility>

#include "tests/known_answer/hand_over.h"

namespace benchbench::test::step_loop {

constexpr std::int64_t kMs = 1'000'000;
constexpr std::uint64_t kSteps = 20;

// Virtual time in which the trainer's thread loses its core now and then: where it next wakes, or
// wakes another thread. Other threads lose theirs wherever they wake one.
class Preempting final : public Runtime {
 public:
  explicit Preempting(SimulatedRuntime& all) : all_(all) {}
  Nanoseconds lost{0};         // once
  Nanoseconds others_lose{0};  // each time

  TimePoint now() const noexcept override { return all_.now(); }
  void spend_until(TimePoint deadline, Spend how) override {
    aside([&] { all_.spend_until(deadline, how); });
  }
  bool park(Waiter& waiter, TimePoint deadline) override {
    bool came = false;
    aside([&] { came = all_.park(waiter, deadline); });
    lose();
    return came;
  }
  void unpark(Waiter& waiter) override {
    all_.unpark(waiter);
    lose();
  }
  void yield() override {
    aside([&] { all_.yield(); });
  }
  std::unique_ptr<Task> spawn(std::string_view name, Job& job) override {
    std::unique_ptr<Task> task;
    jobs_.push_back(std::make_unique<Other>(*this, job));
    aside([&] { task = all_.spawn(name, *jobs_.back()); });
    return task;
  }
  Nanoseconds thread_cpu_time() const noexcept override { return Nanoseconds{0}; }
  bool simulated() const noexcept override { return true; }

 private:
  struct Other final : Job {
    Other(Preempting& its_runtime, Job& its_job) : runtime(its_runtime), job(its_job) {}
    void run() override {
      runtime.is_trainer_ = false;
      job.run();
    }
    Preempting& runtime;
    Job& job;
  };
  // Others may run until `call` returns.
  template <class Call>
  void aside(Call call) {
    const bool before = is_trainer_;
    call();
    is_trainer_ = before;
  }
  void lose() {
    const Nanoseconds now = is_trainer_ ? std::exchange(lost, Nanoseconds{0}) : others_lose;
    if (now.count() > 0) spend(now, Spend::sleep);
  }

  SimulatedRuntime& all_;
  bool is_trainer_ = true;  // the fiber that runs is the trainer's
  std::vector<std::unique_ptr<Job>> jobs_;
};

// After each step the thread will lose its core once, in the get.
class Steps final : public Trainer {
 public:
  // `on`: null where a step is the thread's own work.
  Steps(Preempting& runtime, Nanoseconds step, Nanoseconds lost, Accelerator* on)
      : runtime_(runtime), step_(step), lost_(lost), on_(on) {}
  void step(BatchLease batch, StepContext& context) override {
    batch.drop();
    if (on_)
      on_->launch(*context.stream, {.time = step_});
    else
      runtime_.spend(step_, Spend::sleep);
    runtime_.lost = lost_;
  }
  void finish() override {}
  double loss() override { return 0; }
  std::uint64_t parameters() const noexcept override { return 0; }
  std::uint32_t holds() const noexcept override { return 0; }

 private:
  Preempting& runtime_;
  Nanoseconds step_, lost_;
  Accelerator* on_;
};

struct Case {
  std::uint32_t workers = 1;
  Nanoseconds fill{0}, step{0}, lost{0}, worker_loses{0};
  bool on_device = false;
};

struct Seen {
  LoopTotals totals;
  StepSeries series;
  Nanoseconds time{0};
  std::vector<TraceEvent> events;
  DeviceTotals device;
};

class LoopOfCase {
 public:
  LoopOfCase(SimulatedRuntime& all, const Case& of)
      : runtime_(all),
        scene_(runtime_, {.num_workers = of.workers, .max_jobs = 2, .meters = {}}, of.fill),
        device_(make_emulated_device({.copy_call = {}, .launch_call = {}}, runtime_)),
        accounting_(scene_.supply.stream(), 1024),
        meter_(MeterOptions{}),
        trace_(runtime_, of.workers),
        trainer_(runtime_, of.step, of.lost, of.on_device ? device_->accelerator() : nullptr) {
    runtime_.others_lose = of.worker_loses;
    if (of.on_device)
      feed_ = std::make_unique<DeviceFeed>(DeviceFeed::Order{.device = *device_,
                                                             .runtime = runtime_,
                                                             .meter = meter_,
                                                             .settings = {.in_flight = 1},
                                                             .spec = scene_.loader.spec(),
                                                             .uploads = false});
    loop_ = std::make_unique<StepLoop>(StepLoop::Parts{.runtime = runtime_,
                                                       .supply = scene_.supply,
                                                       .trainer = trainer_,
                                                       .accounting = accounting_,
                                                       .meter = meter_,
                                                       .trace = &trace_.trainer(),
                                                       .feed = feed_.get()},
                                       true, false);
  }

  // A window of kSteps steps, once the first five have passed.
  Seen window() {
    for (int k = 0; k < 5; ++k) loop_->step({});
    const TimePoint begin = edge();
    const DeviceTotals before = feed_ ? feed_->totals() : DeviceTotals{};
    trace_.start(begin);
    loop_->begin_window(begin);
    for (std::uint64_t k = 0; k < kSteps; ++k) loop_->step({});
    Seen seen;
    seen.time = edge() - begin;
    trace_.stop();
    seen.totals = loop_->totals();
    seen.series = loop_->take_series();
    seen.events = trace_.events();
    if (feed_) seen.device = feed_->totals() - before;
    return seen;
  }

 private:
  TimePoint edge() {
    const TimePoint now = loop_->finish();
    if (feed_) feed_->edge(now);
    return now;
  }

  Preempting runtime_;
  Scene scene_;
  std::unique_ptr<Device> device_;
  SampleAccounting accounting_;
  ThreadMeter meter_;
  TraceRecorder trace_;
  Steps trainer_;
  std::unique_ptr<DeviceFeed> feed_;
  std::unique_ptr<StepLoop> loop_;
};

Seen window_of(const Case& of) {
  const auto simulated = make_simulated_runtime();
  Seen seen;
  run_simulated(*simulated, [&] { seen = LoopOfCase(*simulated, of).window(); });
  return seen;
}

constexpr Nanoseconds ms(std::int64_t n) { return Nanoseconds{n * kMs}; }

std::int64_t traced(const Seen& seen, std::int64_t kind) {
  std::int64_t sum = 0;
  for (const TraceEvent& e : seen.events) sum += e.kind == kind ? e.value : 0;
  return sum;
}

using Series = std::vector<std::int64_t>;
Series each(std::int64_t n) { return Series(kSteps, n * kMs); }
std::int64_t sum_of(const Series& series) {
  return std::accumulate(series.begin(), series.end(), std::int64_t{0});
}

TEST_CASE("step stamps: on demand, and where nobody knows, all of a get is waiting for data",
          "[unit][trial]") {
  StepStamps read{.asked = TimePoint{ms(10)}, .got = TimePoint{ms(13)}};
  CHECK(read.get() == ms(3));
  CHECK_FALSE(read.there_known());
  read.filled = TimePoint{}, read.made_in = ms(2);
  CHECK(read.get() == ms(3));
  CHECK(read.there_known());
}

TEST_CASE("step loop: a thread without a core waits for no data where batches are ready",
          "[unit][trial]") {
  // Two batches are ready at each get, which takes 2 ms.
  const Seen seen = window_of({.fill = ms(1), .step = ms(10), .lost = ms(2)});
  CHECK(seen.totals.steps == kSteps);
  CHECK(seen.totals.times.get_ns == 0);
  CHECK(seen.totals.times.core_wait_ns == sum_of(each(2)));
  CHECK(seen.totals.times.step_ns == sum_of(each(10)));
  CHECK(seen.time == Nanoseconds{sum_of(each(12))});
  CHECK(seen.series.get_blocked == each(0));
  CHECK(seen.series.core_wait == each(2));
  CHECK(whole_steps(seen.series) == each(12));
  CHECK(traced(seen, static_cast<std::int64_t>(Stage::get_blocked)) == 0);
  CHECK(traced(seen, kTraceCoreWait) == sum_of(each(2)));
  CHECK(traced(seen, kTraceStep) == sum_of(each(10)));
}

TEST_CASE("step loop: a batch that came is no longer waited for, however late the thread wakes",
          "[unit][trial]") {
  const Seen seen = window_of({.fill = ms(5), .step = ms(1), .lost = ms(2)});
  CHECK(seen.series.get_blocked == each(2));
  CHECK(seen.series.core_wait == each(2));
  CHECK(seen.series.step == each(1));
  CHECK(seen.totals.times.get_ns == sum_of(each(2)));
  CHECK(seen.totals.times.core_wait_ns == sum_of(each(2)));
  CHECK(traced(seen, static_cast<std::int64_t>(Stage::get_blocked)) == sum_of(each(2)));
}

// The worker loses its core for 2 ms with the queue's lock held, and again once the trainer has its
// batch: 5 + 2 + 2 ms for each. The trainer asks 1 ms after it got the last, and gets 8 ms later.
TEST_CASE("step loop: a worker without a core holds up its batch, and that is waiting for data",
          "[unit][trial]") {
  const Seen seen = window_of({.fill = ms(5), .step = ms(1), .worker_loses = ms(2)});
  CHECK(seen.series.get_blocked == each(8));
  CHECK(seen.series.core_wait.empty());
  CHECK(seen.totals.times.core_wait_ns == 0);
}

TEST_CASE("step loop: a thread that keeps its core waits for data only", "[unit][trial]") {
  for (const std::uint32_t workers : {0u, 1u}) {
    INFO(workers << " workers");
    const Seen seen = window_of({.workers = workers, .fill = ms(5), .step = ms(1)});
    CHECK(seen.series.get_blocked == each(workers == 0 ? 5 : 4));
    CHECK(seen.series.core_wait.empty());
    CHECK(seen.totals.times.core_wait_ns == 0);
  }
}

TEST_CASE("step loop: a device is not idle for data while the host has no core", "[unit][trial]") {
  const Case late{.fill = ms(1), .step = ms(10), .lost = ms(2), .on_device = true};
  const Seen seen = window_of(late);
  CHECK(seen.device.span == Nanoseconds{sum_of(each(10))});
  CHECK(seen.device.gaps == Nanoseconds{sum_of(each(2))});
  CHECK(seen.device.idle_for_data == Nanoseconds{0});
  CHECK(seen.totals.times.core_wait_ns == sum_of(each(2)));
  // The device has no batch for 4 ms of each 6.
  const Seen starved = window_of({.fill = ms(6), .step = ms(2), .on_device = true});
  CHECK(starved.device.idle_for_data == Nanoseconds{sum_of(each(4))});
}

}  // namespace benchbench::test::step_loop
