// Cold, warm and as-is windows in virtual time: a loader whose samples cost 10 ms from the disk and
// 1 ms from memory, and a page cache that knows what was read.
#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "harness/part/cache_control.h"
#include "harness/record/cold_need.h"
#include "tests/unit/trial/trial_of_mocks.h"

namespace benchbench::cold_window_test {
namespace {

constexpr Nanoseconds kFromDisk = std::chrono::milliseconds{10};
constexpr Nanoseconds kFromMemory = std::chrono::milliseconds{1};

// What the loader and the page cache of a case share.
struct Store {
  std::uint64_t samples = 200;
  std::set<SampleId> resident;
  int reading = 0;              // workers that are in a fill
  bool disturbed = false;       // somebody read during an eviction
  double stays = 0;             // share of the data that no eviction takes out
  double room = 1;              // share of the data that memory holds
  int dies_after = -1;          // fills
  bool reads_expected = false;  // a batch is read as soon as it is expected
  std::uint64_t evictions = 0;
  std::map<BatchNumber, std::uint64_t> expected_in;  // batch -> evictions before it was
};
Store* store = nullptr;

class Cache final : public CacheControl {
 public:
  std::string why_not() override { return why; }
  std::string method() override { return "asked the test"; }
  std::uint64_t bytes() override { return store->samples * 1000; }
  double resident(bool, const Alive& alive) override {
    alive();
    if (looks_left >= 0 && looks_left-- == 0) why = "a file could not be asked";
    if (!why.empty()) return 0;
    return static_cast<double>(store->resident.size()) / static_cast<double>(store->samples);
  }
  void evict(const Alive&) override {
    store->disturbed |= store->reading > 0;
    store->resident.clear();
    ++store->evictions;
    keep(store->stays);
    ++evictions;
  }
  void warm(const Alive&) override { keep(store->room); }

  std::string why;
  int looks_left = -1;  // that can be had
  std::uint64_t evictions = 0;

 private:
  static void keep(double share) {
    for (SampleId id = 0; id < static_cast<SampleId>(share * static_cast<double>(store->samples));
         ++id)
      store->resident.insert(id);
  }
};

class DiskWorker final : public LoaderWorker {
 public:
  explicit DiskWorker(Runtime& runtime) : runtime_(runtime) {}
  void fill(const BatchRequest& request, StageMeter& meter) override {
    ++store->reading;
    if (store->dies_after >= 0 && store->dies_after-- == 0) throw PartError("the disk is gone");
    for (const SampleRef& sample : request.samples) {
      const bool in_memory = store->reads_expected
                                 ? store->expected_in.at(request.batch) < store->evictions
                                 : store->resident.contains(sample.id);
      StageScope scope(meter, runtime_, request.batch, in_memory ? Stage::parse : Stage::read);
      runtime_.spend(in_memory ? kFromMemory : kFromDisk, Spend::sleep);
      store->resident.insert(sample.id);
    }
    --store->reading;
  }

 private:
  Runtime& runtime_;
};

class DiskLoader final : public Loader {
 public:
  Layout layout() const override { return {store->samples, {}, {}}; }
  BatchSpec spec() const override {
    BatchSpec spec;
    spec.tensor[spec.count++] = TensorSpec{.name = {'x'}, .dtype = DType::int64, .row = {}};
    return spec;
  }
  std::unique_ptr<LoaderWorker> worker(WorkerNumber, Runtime& runtime) override {
    return std::make_unique<DiskWorker>(runtime);
  }
  void expect(const BatchRequest& request) override {
    store->expected_in[request.batch] = store->evictions;
  }
};

constexpr PartDescription kDisk{.kind = PartKind::loader,
                                .name = "disk",
                                .summary = "a test's",
                                .simulated = true,
                                .mock = true,
                                .needs_dataset = true};

const Catalog& catalog_with_disk() {
  static const Catalog catalog = [] {
    std::vector<PartRow> rows(built_in_catalog().rows().begin(), built_in_catalog().rows().end());
    PartRow row{.description = &kDisk, .maker = {}, .module = ""};
    row.maker.loader = [](const LoaderContext&) -> std::unique_ptr<Loader> {
      return std::make_unique<DiskLoader>();
    };
    rows.push_back(row);
    return Catalog(rows);
  }();
  return catalog;
}

struct Case {
  Case() { store = &its; }
  ~Case() { store = nullptr; }
  Case(const Case&) = delete;
  Case& operator=(const Case&) = delete;

  TrialRecord run(std::string_view asked, test::TrialOfMocks::Changes changes,
                  bool with_cache = true, std::string_view residency = "none",
                  std::string_view extra = "") {
    test::TrialOfMocks mocks("disk", trainer, changes);
    Trial trial = mocks.trial();
    trial.settings.set("dataset.cache", {.type = ParameterType::text, .held = std::string(asked)});
    if (residency != "none")
      trial.settings.set("loader.residency",
                         {.type = ParameterType::choice, .held = std::string(residency)});
    if (store->reads_expected)
      trial.settings.set("loader.io_depth", {ParameterType::integer, std::int64_t{4}});
    trial.ablation = Ablation::parse(extra).value();
    ExecutorContext context{.catalog = catalog_with_disk(),
                            .environment = {},
                            .dataset = {},
                            .expected_digest = {},
                            .simulated = true,
                            .stop = nullptr,
                            .progress = {}};
    context.environment.cores_available = 2;
    if (with_cache) context.cache = &cache;
    return run_trial(trial, {}, context);
  }

  Store its;
  Cache cache;
  std::string_view trainer = "discard";
};

// What was said of the cache.
std::vector<std::string> told(const TrialRecord& record) {
  std::vector<std::string> notices;
  for (const std::string& notice : record.facts.notices)
    if (notice.starts_with("dataset.cache: ")) notices.push_back(notice);
  return notices;
}

std::uint64_t from_memory(const TrialRecord& record) {
  return record.facts.window.stages[static_cast<std::size_t>(Stage::parse)].count;
}

}  // namespace

TEST_CASE("cold window: only samples read after the eviction count, at the disk's rate exactly",
          "[unit][trial]") {
  Case c;
  // 50 batches of 4 an epoch, 40 ms each: 5 s are 125 batches, more than two epochs.
  const TrialRecord record = c.run(
      "cold", {{"loader.num_workers", "1"}, {"measure.window", "5s"}, {"measure.warmup", "200ms"}});
  INFO(test::reasons_of(record));
  REQUIRE(record.status == Status::valid);
  const Facts& facts = record.facts;
  CHECK(facts.cache.asked == "cold");
  CHECK(facts.cache.state.text() == "cold(data)");
  CHECK(facts.cache.method == "asked the test");
  CHECK(facts.cache.resident_before == 0.0);
  CHECK(facts.cache.evictions == c.cache.evictions);
  CHECK_FALSE(c.its.disturbed);
  CHECK(from_memory(record) == 0);
  CHECK(facts.window.ns == static_cast<std::int64_t>(facts.window.steps) * 4 * kFromDisk.count());
  CHECK(facts.window.ns >= 5000000000);
  // One before the warm-up, one before each segment; a segment has at most 50 - 3 of an epoch's 50
  // batches.
  const std::uint64_t counted = 50 - cold_batches_uncounted(2, 0);
  CHECK(facts.cache.evictions == 1 + (facts.window.steps + counted - 1) / counted);
  CHECK(facts.window.loop.get_ns + facts.window.loop.accounting_ns + facts.window.loop.step_ns +
            facts.window.loop.report_ns ==
        facts.window.ns);
  CHECK(facts.accounting.duplicated + facts.accounting.missing == 0);
}

// As native with loader.io_depth: what is expected is read by somebody else, ahead of the fill.
TEST_CASE(
    "cold window: without workers, batches that were read ahead of an eviction are not counted",
    "[unit][trial]") {
  for (const char* prefetch : {"2", "5"}) {
    Case c;
    c.its.reads_expected = true;
    const TrialRecord record = c.run("cold", {{"loader.num_workers", "0"},
                                              {"loader.prefetch_factor", prefetch},
                                              {"measure.window", "5s"},
                                              {"measure.warmup", "200ms"}});
    INFO("prefetch_factor " << prefetch << "\n" << test::reasons_of(record));
    REQUIRE(record.status == Status::valid);
    // A segment ends before anything of the next epoch is issued, and what was issued before the
    // eviction is left out. The first begins where the warm-up ended, so that one more may be
    // needed.
    const std::uint64_t counted = 50 - cold_batches_uncounted(std::stoul(prefetch), 0);
    const std::uint64_t fewest = 2 + record.facts.window.steps / counted;
    CHECK((record.facts.cache.evictions == fewest || record.facts.cache.evictions == fewest + 1));
    CHECK(from_memory(record) == 0);
  }
  Case alone;  // nobody reads ahead: nothing but the first step after an eviction is lost
  const TrialRecord record = alone.run(
      "cold", {{"loader.num_workers", "0"}, {"measure.window", "5s"}, {"measure.warmup", "200ms"}});
  REQUIRE(record.status == Status::valid);
  const std::uint64_t counted = 50 - cold_batches_uncounted(0, 0);
  CHECK(record.facts.cache.evictions == 2 + record.facts.window.steps / counted);
}

TEST_CASE("cold window: what workers, loader and trainer did is that of all its segments",
          "[unit][trial]") {
  for (const char* workers : {"1", "3", "4"}) {
    Case c;
    c.trainer = "timed";
    const TrialRecord record = c.run("cold", {{"loader.num_workers", workers},
                                              {"trainer.step_time", "15ms"},
                                              {"measure.window", "5s"},
                                              {"measure.warmup", "200ms"}});
    INFO(workers << " workers\n" << test::reasons_of(record));
    REQUIRE(record.status == Status::valid);
    const Facts& f = record.facts;
    REQUIRE(f.cache.evictions >= 4);  // at least three segments
    const std::int64_t count = std::stoi(workers);
    CHECK(f.window.steps % static_cast<std::uint64_t>(count) == 0);  // segments of whole bursts
    CHECK(f.workers.wall_ns == count * f.window.ns);
    CHECK(f.workers.fill_ns + f.workers.slot_wait_ns + f.workers.queue_ns == f.workers.wall_ns);
    REQUIRE(f.workers.each.size() == static_cast<std::size_t>(count));
    WorkerTimes all;
    for (const WorkerTimes& w : f.workers.each) {
      CHECK(w.fill_ns + w.slot_wait_ns + w.queue_ns == f.window.ns);
      all.fill_ns += w.fill_ns;
      all.slot_wait_ns += w.slot_wait_ns;
      all.batches += w.batches;
    }
    CHECK(all.fill_ns == f.workers.fill_ns);
    CHECK(all.slot_wait_ns == f.workers.slot_wait_ns);
    CHECK(std::abs(static_cast<double>(all.batches) - static_cast<double>(f.window.steps)) <=
          static_cast<double>(f.cache.evictions * f.parts.max_jobs));
    // A sample is 10 ms from the disk, and a fill is cut in two by a segment's end: at most one
    // sample a worker is.
    const StageTotal& read = f.window.stages[static_cast<std::size_t>(Stage::read)];
    CHECK(read.ns == static_cast<std::int64_t>(read.count) * kFromDisk.count());
    CHECK(std::abs(read.ns - f.workers.fill_ns) <=
          static_cast<std::int64_t>(f.cache.evictions) * count * kFromDisk.count());
    const StageTotal& forward = f.window.stages[static_cast<std::size_t>(Stage::forward)];
    CHECK(forward.count == f.window.steps);
    CHECK(forward.ns == static_cast<std::int64_t>(f.window.steps) * 15'000'000);
  }
}

TEST_CASE(
    "cold window: many workers, any order, shared rows, a random order, a warm-up over many epochs",
    "[unit][trial]") {
  for (const char* workers : {"0", "3", "4", "5", "7"})
    for (const char* in_order : {"true", "false"})
      for (const char* unit : {"batch", "sample"})
        for (const char* access : {"sequential", "random"}) {
          Case c;
          const TrialRecord record = c.run("cold", {{"loader.num_workers", workers},
                                                    {"loader.in_order", in_order},
                                                    {"loader.work_unit", unit},
                                                    {"loader.access", access},
                                                    {"measure.warmup", "8s"},
                                                    {"measure.window", "3s"}});
          INFO(workers << " " << in_order << " " << unit << " " << access << "\n"
                       << test::reasons_of(record));
          REQUIRE(record.status == Status::valid);
          CHECK(record.facts.cache.state.text() == "cold(data)");
          CHECK(record.facts.cache.evictions >= 4);  // the warm-up's ends of epochs too
          CHECK_FALSE(c.its.disturbed);
          CHECK(from_memory(record) == 0);
          CHECK(record.facts.window.ns >= 3000000000);
          CHECK(record.facts.window.steps % record.facts.window.burst == 0);
          const std::int64_t at_once = std::max(1, std::stoi(workers));
          CHECK(record.facts.window.burst == static_cast<std::uint64_t>(at_once));
          CHECK(at_once * record.facts.window.ns ==
                static_cast<std::int64_t>(record.facts.window.steps) * 4 * kFromDisk.count());
        }
}

TEST_CASE("cold window: as it is, the second epoch comes from memory", "[unit][trial]") {
  Case c;
  const TrialRecord record = c.run(
      "as_is", {{"loader.num_workers", "1"}, {"measure.window", "1s"}, {"measure.warmup", "3s"}});
  CHECK(record.facts.cache.state.text() == "as_is");
  CHECK(record.facts.cache.resident_before == 0.0);
  CHECK(record.facts.window.ns ==
        static_cast<std::int64_t>(record.facts.window.steps) * 4 * kFromMemory.count());
  CHECK(record.facts.cache.evictions == 0);
  CHECK(told(record).empty());
}

TEST_CASE("cold window: warm data is read once before, and proven", "[unit][trial]") {
  Case c;
  const TrialRecord record =
      c.run("warm", {{"loader.num_workers", "1"}, {"measure.window", "100ms"}});
  CHECK(record.facts.cache.state.text() == "warm");
  CHECK(record.facts.cache.resident_before == 1.0);
  CHECK(record.facts.window.stages[static_cast<std::size_t>(Stage::read)].count == 0);

  Case tight;
  tight.its.room = 0.6;
  const TrialRecord partly = tight.run("warm", {{"measure.window", "100ms"}});
  CHECK(partly.facts.cache.state.text().find("as_is: ") == 0);
  CHECK(partly.facts.cache.state.text().find(" were read in full, 60 % stayed in memory") !=
        std::string::npos);
  CHECK(told(partly).size() == 1);
}

TEST_CASE("cold window: pages that stay are told, and the window is an ordinary one",
          "[unit][trial]") {
  Case c;
  c.its.stays = 0.3;
  const TrialRecord record = c.run("cold", {{"measure.window", "100ms"}});
  CHECK(record.status == Status::valid);
  CHECK(record.facts.cache.state.text().find("as_is: 30 %") == 0);
  CHECK(record.facts.cache.resident_before == Approx(0.3));
  CHECK(record.facts.cache.evictions == 1);
  REQUIRE(told(record).size() == 1);
  CHECK(told(record)[0].find("dataset.cache: cold was requested; 30 %") == 0);
}

TEST_CASE("cold window: an epoch too small to leave a batch that counts is refused with numbers",
          "[unit][trial]") {
  Case c;
  c.its.samples = 12;  // 3 batches; 2 made ahead and 1 in hand
  const TrialRecord record =
      c.run("cold", {{"loader.num_workers", "1"}, {"measure.window", "100ms"}});
  CHECK(record.status == Status::failed);
  CHECK(test::reasons_of(record).find("at least 4 batches, and this one has 3") !=
        std::string::npos);
  c.its.samples = 16;
  const TrialRecord enough =
      c.run("cold", {{"loader.num_workers", "1"}, {"measure.window", "100ms"}});
  CHECK(enough.status == Status::valid);
  CHECK(from_memory(enough) == 0);
}

TEST_CASE("cold window: an epoch too small for a burst of its workers is refused with numbers",
          "[unit][trial]") {
  Case c;
  c.its.samples = 36;  // 9 batches; 6 made ahead, two of the first burst, and 3 workers
  const TrialRecord record =
      c.run("cold", {{"loader.num_workers", "3"}, {"measure.window", "100ms"}});
  CHECK(record.status == Status::failed);
  CHECK(test::reasons_of(record).find("at least 11 batches, and this one has 9") !=
        std::string::npos);
  CHECK(test::reasons_of(record).find("8 are prefetched") != std::string::npos);
  CHECK(test::reasons_of(record).find("and 3 workers deliver 3 at a time") != std::string::npos);
  c.its.samples = 44;
  const TrialRecord enough =
      c.run("cold", {{"loader.num_workers", "3"}, {"measure.window", "100ms"}});
  INFO(test::reasons_of(enough));
  REQUIRE(enough.status == Status::valid);
  CHECK(from_memory(enough) == 0);
  CHECK(enough.facts.window.steps % 3 == 0);
  // Each segment begins in the middle of a burst: one is there, and the next three take 40 ms.
  std::vector<std::int64_t> waits;
  for (int segment = 0; segment < 3; ++segment)
    for (const std::int64_t wait : {0, 40'000'000, 0}) waits.push_back(wait);
  CHECK(enough.raw_series.at("get_blocked") == waits);
}

TEST_CASE("cold window: nothing that can prove it, and bytes that lie in memory anyway",
          "[unit][trial]") {
  Case c;
  const TrialRecord nobody = c.run("cold", {{"measure.window", "100ms"}}, false);
  CHECK(nobody.facts.cache.state.text() == "as_is: virtual time has no page cache");
  CHECK(told(nobody).size() == 1);

  c.cache.why = "NFS: somebody else's memory";
  const TrialRecord nfs = c.run("cold", {{"measure.window", "100ms"}});
  CHECK(nfs.facts.cache.state.text() == "as_is: NFS: somebody else's memory");
  CHECK(c.cache.evictions == 0);
}

TEST_CASE(
    "cold window: data that is held in memory was not asked to be cold, and only its asker is told",
    "[unit][trial]") {
  Case c;
  for (const char* asked : {"cold", "warm"}) {
    const TrialRecord added =
        c.run(asked, {{"measure.window", "100ms"}}, true, "host", "free:storage");
    CHECK(added.status == Status::valid);
    CHECK(added.facts.cache.asked.empty());
    CHECK(added.facts.cache.state.text().find("as_is: loader.residency: host") == 0);
    CHECK(told(added).empty());
    CHECK(told(c.run(asked, {{"measure.window", "100ms"}}, true, "host")).size() == 1);
  }
  CHECK(c.cache.evictions == 0);
}

TEST_CASE("cold window: a look that could not be had proves nothing", "[unit][trial]") {
  for (const char* asked : {"cold", "warm", "as_is"})
    for (const int looks : {0, 1}) {
      Case c;
      c.cache.looks_left = looks;
      const TrialRecord record = c.run(asked, {{"measure.window", "5s"}});
      INFO(asked << " " << looks);
      if (looks == 1 && std::string_view(asked) == "as_is") continue;  // looks once
      CHECK(record.status == Status::valid);
      CHECK(record.facts.cache.state.text() == "as_is: a file could not be asked");
      CHECK_FALSE(record.facts.cache.resident_before);
    }
}

TEST_CASE("cold window: a worker that dies ends the trial, not only the wait before an eviction",
          "[unit][trial]") {
  for (const int fills : {0, 20, 47, 48, 49, 60}) {
    Case c;
    c.its.dies_after = fills;
    const TrialRecord record = c.run(
        "cold",
        {{"loader.num_workers", "2"}, {"measure.window", "20s"}, {"measure.warmup", "100ms"}});
    CHECK(record.status == Status::failed);
    CHECK(test::reasons_of(record).find("the disk is gone") != std::string::npos);
  }
}

}  // namespace benchbench::cold_window_test
