// The emulated storage below a loader: its schedule by hand, and trials over it in virtual time.
#include "harness/pipeline/emulated_storage.h"

#include <catch2/catch.hpp>

#include "tests/unit/trial/trial_of_mocks.h"

namespace benchbench::test {
namespace played {

using std::chrono::milliseconds;

TimePoint at(std::int64_t ns) { return TimePoint{Nanoseconds{ns}}; }

void put(Trial& trial, std::string_view key, ParameterType type, std::string_view text) {
  trial.settings.set("dataset.storage." + std::string(key), Value::parse(type, text).value());
}

// Samples of 12.5 MB, one a batch, that take no time but their reading.
Trial big_samples(std::string_view workers, std::string_view batch = "1") {
  return TrialOfMocks("synthetic", "discard",
                      {{"loader.sample_bytes", "12500000B"},
                       {"loader.num_workers", workers},
                       {"loader.batch_size", batch},
                       {"measure.window", "20s"}})
      .trial();
}

double rate_of(const TrialRecord& record) {
  INFO(reasons_of(record));
  REQUIRE(record.status == Status::valid);
  return static_cast<double>(record.facts.window.samples) /
         (static_cast<double>(record.facts.window.ns) * 1e-9);
}

// What the runtime's clock read when the job had ended.
template <class Work>
std::int64_t virtual_time_of(Work work) {
  struct Doing final : Job {
    Doing(Runtime& r, Work& w) : runtime(r), work(w) {}
    void run() override {
      const TimePoint start = runtime.now();
      work(runtime);
      took = (runtime.now() - start).count();
    }
    Runtime& runtime;
    Work& work;
    std::int64_t took = -1;
  };
  const auto runtime = make_simulated_runtime();
  Doing job(*runtime, work);
  runtime->run(job);
  return job.took;
}

TEST_CASE("played store: each cost alone, by hand", "[unit][trial]") {
  SECTION("no cost at all") {
    StoreSchedule store({});
    CHECK(store.end_of(at(5), 1'000'000, false) == at(5));
  }
  SECTION("latency and seek, which a read that follows is spared") {
    StoreSchedule store({.latency = Nanoseconds{100}, .seek = Nanoseconds{8000}});
    CHECK(store.end_of(at(0), 64, false) == at(8100));
    CHECK(store.end_of(at(0), 64, true) == at(100));
  }
  SECTION("a shared link is first come first served") {
    StoreSchedule store({.bandwidth = 1e9});
    CHECK(store.end_of(at(0), 50, false) == at(50));
    CHECK(store.end_of(at(10), 50, false) == at(100));
    CHECK(store.end_of(at(500), 50, false) == at(550));
  }
  SECTION("a connection's own rate holds up its read and not the link") {
    StoreSchedule store({.bandwidth = 1e9, .connection_bandwidth = 1e8});
    CHECK(store.end_of(at(0), 50, false) == at(500));
    CHECK(store.end_of(at(0), 50, false) == at(500));  // the link was free again at 50
    CHECK(store.end_of(at(0), 1000, false) == at(10000));
    CHECK(store.end_of(at(0), 950, false) == at(9500));
  }
  SECTION("a read waits for the connection that is free first") {
    StoreSchedule store({.latency = Nanoseconds{100}, .connections = 2});
    CHECK(store.end_of(at(0), 1, false) == at(100));
    CHECK(store.end_of(at(30), 1, false) == at(130));
    CHECK(store.end_of(at(40), 1, false) == at(200));
    CHECK(store.end_of(at(40), 1, false) == at(230));
    CHECK(store.end_of(at(1000), 1, false) == at(1100));
  }
  SECTION("latency of reads in flight at once overlaps, transfers do not") {
    StoreSchedule store({.bandwidth = 1e9, .latency = Nanoseconds{100}});
    CHECK(store.end_of(at(0), 60, false) == at(160));
    CHECK(store.end_of(at(0), 60, false) == at(220));
  }
}

TEST_CASE("played store: known answer, 10 Gb/s and 12.5 MB samples give 100 samples/s",
          "[unit][trial]") {
  for (const char* workers : {"0", "1", "8"}) {
    INFO(workers);
    Trial trial = big_samples(workers);
    put(trial, "bandwidth", ParameterType::bandwidth, "1.25GB/s");
    const TrialRecord record = run_simulated(trial);
    CHECK(rate_of(record) == 100.0);  // 10 ms each, to the nanosecond
    CHECK(record.facts.window.ns ==
          static_cast<std::int64_t>(record.facts.window.samples) * 10'000'000);
  }
  Trial batches = big_samples("8", "4");  // eight batches end one after the other, then none
  put(batches, "bandwidth", ParameterType::bandwidth, "1.25GB/s");
  const WindowFacts window = run_simulated(batches).facts.window;
  CHECK(window.steps % 8 == 0);
  CHECK(window.ns == static_cast<std::int64_t>(window.samples) * 10'000'000);
}

TEST_CASE("played store: on the real clock it is never faster than the store played",
          "[unit][trial]") {
  const auto runtime = make_real_runtime();
  TimedStore store({.bandwidth = 1e9, .latency = Nanoseconds{1000}}, *runtime);
  const TimePoint start = runtime->now();
  for (int i = 0; i < 10; ++i) store.fetch(100'000, false);
  CHECK(runtime->now() - start >= Nanoseconds{10 * 101'000});
}

TEST_CASE("played store: what a read has really taken is not waited for again", "[unit][trial]") {
  const auto read_and_fetch = [](Nanoseconds reading) {
    return virtual_time_of([reading](Runtime& runtime) {
      TimedStore store({.bandwidth = 1e9}, runtime);
      const TimePoint asked = runtime.now();
      runtime.spend(reading, Spend::sleep);
      store.fetch_since(asked, 1000, false);
    });
  };
  CHECK(read_and_fetch(Nanoseconds{0}) == 1000);
  CHECK(read_and_fetch(Nanoseconds{700}) == 1000);
  CHECK(read_and_fetch(Nanoseconds{3000}) == 3000);
}

TEST_CASE("played store: the presets' rates, random reads of 150 kB", "[unit][trial]") {
  struct Case {
    const char* like;
    const char* workers;
    double rate;
  };
  // 1 / (seek + 1 ms); 1 / (0.1 + 0.3 ms); 1 / (50 + 50 us); 1 / (0.5 + 0.12 ms); 1 / (30 + 2 ms):
  // one read at a time. With eight in flight: one head; the link's 500 MB/s and 3 GB/s; the latency
  // shared by 8, twice.
  for (const Case& c : {Case{"sata_hdd", "1", 1 / 9e-3},
                        {"sata_ssd", "1", 1 / 0.4e-3},
                        {"nvme", "1", 1 / 0.1e-3},
                        {"nfs_10gbe", "1", 1 / 0.62e-3},
                        {"s3", "1", 1 / 32e-3},
                        {"sata_hdd", "8", 1 / 9e-3},
                        {"sata_ssd", "8", 500e6 / 150e3},
                        {"nvme", "8", 3e9 / 150e3},
                        {"nfs_10gbe", "8", 1.25e9 / 150e3},
                        {"s3", "8", 8 / 32e-3}}) {
    INFO(c.like << ' ' << c.workers);
    Trial trial = big_samples(c.workers);
    trial.settings.set("loader.sample_bytes",
                       Value::parse(ParameterType::bytes, "150000B").value());
    put(trial, "like", ParameterType::choice, c.like);
    CHECK(rate_of(run_simulated(trial)) == Approx(c.rate).epsilon(0.003));
  }
}

TEST_CASE("played store: keys replace single figures of a preset", "[unit][trial]") {
  SettingsMap settings;
  CHECK(!emulated_figures(settings));
  settings.set("dataset.storage.like", Value::parse(ParameterType::choice, "none").value());
  CHECK(!emulated_figures(settings));
  settings.set("dataset.storage.latency", Value::parse(ParameterType::duration, "15ms").value());
  CHECK(*emulated_figures(settings) == StoreFigures{.latency = milliseconds{15}});
  settings.set("dataset.storage.like", Value{ParameterType::choice, std::string("s3")});
  settings.set("dataset.storage.connections", Value::parse(ParameterType::integer, "32").value());
  CHECK(*emulated_figures(settings) == StoreFigures{.bandwidth = 1.25e9,
                                                    .connection_bandwidth = 75e6,
                                                    .latency = milliseconds{15},
                                                    .connections = 32});
  for (const StorePreset& preset : store_presets()) {
    settings.set("dataset.storage.like", Value{ParameterType::choice, std::string(preset.name)});
    CHECK(emulated_figures(settings).has_value());
    CHECK(!preset.source.empty());
  }
}

TEST_CASE("played store: where nothing takes virtual time the trial ends with a bound",
          "[unit][trial]") {
  const TrialRecord record =
      run_simulated(TrialOfMocks("synthetic", "discard", {{"loader.fill", "none"}}).trial());
  INFO(reasons_of(record));
  CHECK(record.status == Status::valid);
  CHECK(is_timeless(record.facts));
  CHECK(record.facts.window.steps == 100'000);
  CHECK(record.facts.window.samples == 400'000);
}

}  // namespace played
}  // namespace benchbench::test
