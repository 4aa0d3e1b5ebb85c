// The same line on real threads: what only they can show. No times are asserted.
#include <catch2/catch.hpp>
#include <chrono>
#include <set>

#include "harness/core/cpu_limit.h"
#include "tests/unit/trial/trial_of_mocks.h"
#include "tests/unit/trial/virtual_line.h"

namespace benchbench::test {
namespace real_threads {

TrialRecord run_real(const Trial& trial, std::function<void(const TrialProgress&)> progress = {}) {
  ExecutorContext context{.catalog = built_in_catalog(),
                          .environment = observe_environment(),
                          .dataset = {},
                          .expected_digest = {},
                          .simulated = false,
                          .stop = nullptr,
                          .progress = std::move(progress)};
  calibrate(context.environment);
  return run_trial(trial, {}, context);
}

// Fills at once, except that a fill never ends before `released`.
class Stuck final : public Loader {
 public:
  std::atomic<bool> filling{false}, released{false};
  Layout layout() const override { return {64, {}, {}}; }
  BatchSpec spec() const override {
    BatchSpec spec;
    spec.tensor[spec.count++] = {.name = "byte", .dtype = DType::uint8, .row = {}};
    return spec;
  }
  std::unique_ptr<LoaderWorker> worker(WorkerNumber, Runtime& runtime) override {
    struct Worker final : LoaderWorker {
      Worker(Stuck& l, Runtime& r) : loader(l), runtime(r) {}
      void fill(const BatchRequest&, StageMeter&) override {
        loader.filling = true;
        while (!loader.released) runtime.yield();
      }
      Stuck& loader;
      Runtime& runtime;
    };
    return std::make_unique<Worker>(*this, runtime);
  }
};

struct Ascending final : Sampler {
  std::uint64_t samples_per_epoch() const noexcept override { return 64; }
  void begin(Epoch, std::span<SampleId> order) override {
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  }
};

}  // namespace real_threads
using namespace real_threads;

TEST_CASE("real threads: a trial of run.cpus: 1 has one CPU, and its record says so",
          "[unit][trial]") {
  const std::vector<int> before = allowed_cpus();
  std::set<std::vector<int>> seen;
  const TrialRecord record = run_real(TrialOfMocks("synthetic", "discard",
                                                   {{"run.cpus", "1"},
                                                    {"measure.window", "1ms"},
                                                    {"measure.window_batches", "5"},
                                                    {"measure.warmup", "1ms"}})
                                          .trial(),
                                      [&](const TrialProgress&) { seen.insert(allowed_cpus()); });
  INFO(reasons_of(record));
  REQUIRE(record.status == Status::valid);
  CHECK(seen == std::set{std::vector{cores_first(before, "/").front()}});
  CHECK(record.facts.cpu.cores_available == 1);
  CHECK(record.environment.cores_available == observe_environment().cores_available);
  CHECK(allowed_cpus() == before);
}

TEST_CASE("real threads: books in order and nothing torn, all kinds of lines", "[unit][trial]") {
  for (const char* dispatch : {"shared", "round_robin", "least_loaded"})
    for (const char* in_order : {"true", "false"})
      for (const char* workers : {"0", "1", "3"}) {
        const TrialRecord record = run_real(TrialOfMocks("synthetic", "discard",
                                                         {{"loader.dispatch", dispatch},
                                                          {"loader.in_order", in_order},
                                                          {"loader.num_workers", workers},
                                                          {"measure.window", "1ms"},
                                                          {"measure.window_batches", "100"},
                                                          {"measure.warmup", "1ms"},
                                                          {"loader.samples", "30"}})
                                                .trial());
        INFO(dispatch << ", in order " << in_order << ", " << workers
                      << " workers: " << reasons_of(record));
        const Facts& f = record.facts;
        REQUIRE(record.status == Status::valid);
        CHECK(f.accounting.issued ==
              f.accounting.delivered + f.accounting.dropped + f.accounting.in_flight);
        CHECK(f.accounting.duplicated == 0);
        CHECK(f.accounting.missing == 0);
        // 7 batches each, 100 and more steps; out of order, each job held up may leave one epoch
        // open.
        CHECK(f.epochs.completed >=
              (in_order == std::string_view("true") ? 14 : 14 - f.parts.max_jobs));
        CHECK(f.window.ns >= 1'000'000);
        CHECK(f.workers.fill_ns + f.workers.slot_wait_ns + f.workers.queue_ns == f.workers.wall_ns);
        if (f.workers.count > 0) CHECK(f.workers.wall_ns == f.window.ns * f.workers.count);
      }
}

TEST_CASE("real threads: workers share the rows of a batch", "[unit][trial]") {
  const TrialRecord record = run_real(TrialOfMocks("synthetic", "discard",
                                                   {{"loader.work_unit", "sample"},
                                                    {"loader.num_workers", "3"},
                                                    {"loader.batch_size", "7"},
                                                    {"measure.window", "5ms"},
                                                    {"measure.warmup", "1ms"}})
                                          .trial());
  REQUIRE(record.status == Status::valid);
  CHECK(record.facts.accounting.duplicated == 0);
  CHECK(record.facts.accounting.issued == record.facts.accounting.delivered +
                                              record.facts.accounting.dropped +
                                              record.facts.accounting.in_flight);
}

TEST_CASE("real threads: resources of a window", "[unit][trial]") {
  const Facts f = run_real(TrialOfMocks("synthetic", "timed",
                                        {{"loader.sample_time", "1ms"},
                                         {"loader.wait", "spin"},
                                         {"measure.window", "50ms"},
                                         {"measure.warmup", "5ms"}})
                               .trial())
                      .facts;
  REQUIRE(f.cpu.user_s.has_value());
  CHECK(*f.cpu.user_s + *f.cpu.system_s > 0);
  REQUIRE(f.cpu.loader_s.has_value());
  CHECK(*f.cpu.loader_s > 0);
  CHECK(*f.cpu.trainer_s >= 0);
  CHECK(f.peak_memory_bytes.value_or(0) > 0);
  CHECK(f.instrument.overhead_share > 0);
  CHECK(f.instrument.scopes > 0);
}

TEST_CASE("real threads: a report's own time is not the loader's", "[unit][trial]") {
  Nanoseconds reporting{0};
  const auto slow_report = [&](const TrialProgress& progress) {
    if (progress.phase != Phase::measuring) return;
    const auto begin = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - begin < std::chrono::milliseconds{20}) {
    }
    reporting += std::chrono::steady_clock::now() - begin;
  };
  const Facts f = run_real(TrialOfMocks("synthetic", "timed",
                                        {{"trainer.step_time", "1ms"},
                                         {"measure.window", "400ms"},
                                         {"measure.warmup", "1ms"}})
                               .trial(),
                           slow_report)
                      .facts;
  const auto time_of = [&](Stage stage) {
    return f.window.stages[static_cast<std::size_t>(stage)].ns;
  };
  REQUIRE(reporting.count() > 0);
  CHECK(f.window.ns - time_of(Stage::get_blocked) - time_of(Stage::forward) >= reporting.count());
}

TEST_CASE("real threads: a stop is heard while the trainer waits for a batch", "[unit][trial]") {
  const auto runtime = make_real_runtime();
  const auto device = make_cpu_device();
  Stuck loader;
  Ascending sampler;
  Supply supply({.num_workers = 2, .batch_size = 4, .max_jobs = 4, .meters = {}}, loader, sampler,
                *device, *runtime);
  supply.start();
  while (!loader.filling) runtime->yield();
  const std::atomic<bool> stop{true};
  CHECK_THROWS_AS(supply.get(Interruption(&stop, kForever, {})), InterruptedError);
  CHECK_THROWS_AS(supply.get(Interruption(nullptr, runtime->now(), Nanoseconds{1})), PartError);
  loader.released = true;
  supply.stop();
}

TEST_CASE("real threads: the cost of one hand-over, beside two clock reads", "[unit][trial]") {
  Environment environment = observe_environment();
  calibrate(environment);
  CHECK(environment.clock_read_ns > 0);
  CHECK(environment.clock_resolution_ns > 0);
  CHECK(environment.stage_scope_ns > 0);
  CHECK(environment.queue_hop_ns > 0);
  CHECK(environment.timer_lateness_ns >= 0);
  const auto per_batch = [](const char* workers, const char* observer) {
    const Facts f = run_real(TrialOfMocks("synthetic", "discard",
                                          {{"loader.num_workers", workers},
                                           {"loader.fill", "none"},
                                           {"loader.samples", "8192"},
                                           {"loader.batch_size", "1"},
                                           {"loader.prefetch_factor", "16"},
                                           {"measure.observer", observer},
                                           {"measure.window", "50ms"},
                                           {"measure.warmup", "5ms"}})
                                 .trial())
                        .facts;
    return static_cast<double>(f.window.ns) / static_cast<double>(f.window.steps);
  };
  WARN("two clock reads " << 2 * environment.clock_read_ns << " ns, a stage scope "
                          << environment.stage_scope_ns << " ns, a bare queue hop "
                          << environment.queue_hop_ns << " ns, a 1 ms wait late by "
                          << environment.timer_lateness_ns
                          << " ns; mock x mock per batch, rates only (and with stages): no workers "
                          << per_batch("0", "0") << " ns (" << per_batch("0", "1") << "), 1 worker "
                          << per_batch("1", "0") << " ns (" << per_batch("1", "1")
                          << "), 2 workers " << per_batch("2", "0") << " ns ("
                          << per_batch("2", "1") << ")");
}

}  // namespace benchbench::test
