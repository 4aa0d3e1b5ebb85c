// Reads ahead of the workers: the same bytes, each sample once, whatever goes wrong below.
#include <sys/resource.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <new>

#include "harness/core/error.h"
#include "scenarios/storage/stored_reads.h"
#include "tests/hang.h"
#include "tests/unit/storage/orders.h"
#include "tests/unit/storage/scene.h"

namespace benchbench::test::storage {
namespace {

// 64 samples, 60 in three files and four that are files, eight to a request: every other request
// has neighbours, the others are in an order without order.
struct Set {
  Set() {
    for (int f = 0; f < 3; ++f) {
      const std::uint32_t file = scene.add_file(200'000);
      for (std::uint64_t i = 0; i < 20; ++i) scene.add(file, i * 9'000 + i % 3, 7'000 + i * 100);
    }
    for (int f = 0; f < 4; ++f) scene.add(scene.add_file(30'000), 0, Extent::kToTheEnd);
    for (BatchNumber b = 0; b < 8; ++b) {
      std::vector<SampleId> ids;
      for (SampleId i = 0; i < 8; ++i) {
        const SampleId n = b / 2 * 8 + i;
        ids.push_back(b % 2 ? n : 32 + n * 5 % 32);
      }
      orders.push_back(order_of(b, ids));
    }
  }
  Scene scene;
  std::vector<Order> orders;
};

std::size_t wrong_of(SampleLane& lane, const Scene& scene, const BatchRequest& request,
                     StageMeter& meter) {
  std::size_t wrong = 0;
  lane.begin(request, meter);
  for (std::size_t i = 0; i < request.samples.size(); ++i) {
    const StoredSample sample = lane.read(request, i, meter);
    wrong += !std::ranges::equal(sample.payload, scene.bytes_of(request.samples[i].id));
    wrong += !lane.done(request, i).empty();
  }
  return wrong;
}

class Reader final : public Job {
 public:
  Reader(std::shared_ptr<StoredReads> reads, const Set& set, std::atomic<std::size_t>& next,
         bool by_sample)
      : lane_(StoredReads::lane(std::move(reads))), set_(set), next_(next), by_sample_(by_sample) {}
  void run() override {
    for (;;) {
      const std::size_t n = next_.fetch_add(1);
      const std::size_t order = by_sample_ ? n / 8 : n;
      if (order >= set_.orders.size()) return;
      try {
        wrong += wrong_of(*lane_, set_.scene,
                          by_sample_ ? set_.orders[order].one(n % 8) : set_.orders[order].request(),
                          meter);
      } catch (const std::exception& error) {
        failed = error.what();
        return;
      }
    }
  }
  std::size_t wrong = 0;
  std::string failed;
  CountingMeter meter;

 private:
  std::unique_ptr<SampleLane> lane_;
  const Set& set_;
  std::atomic<std::size_t>& next_;
  bool by_sample_;
};

TEST_CASE(
    "stored reads: every engine, depth, size of request and number of workers gives the same bytes",
    "[unit][storage]") {
  const Set set;
  const auto runtime = make_real_runtime();
  std::uint64_t bytes = 0;
  for (SampleId id = 0; id < 64; ++id) bytes += set.scene.bytes_of(id).size();
  for (const IoEngine engine :
       {IoEngine::pread, IoEngine::mmap, IoEngine::io_uring, IoEngine::direct}) {
    try {
      require_engine(engine, set.scene);
    } catch (const DeviceError&) {
      continue;
    }
    for (const std::uint32_t depth : {0, 1, 16})
      for (const std::uint64_t max : {0, 20'000, 1 << 20})
        for (const std::size_t workers : {1, 3})
          for (const bool by_sample : {false, true}) {
            INFO(name_of(engine) << " depth " << depth << " most " << max << " workers " << workers
                                 << " " << by_sample);
            ReadOrder order({});
            auto reads = std::make_shared<StoredReads>(set.scene, ReadOptions{engine, depth, max},
                                                       nullptr, order, *runtime, EngineMaker{});
            for (const Order& o : set.orders) reads->expect(o.request());
            std::atomic<std::size_t> next{0};
            std::vector<std::unique_ptr<Reader>> readers;
            std::vector<std::unique_ptr<Task>> tasks;
            for (std::size_t w = 0; w < workers; ++w)
              readers.push_back(std::make_unique<Reader>(reads, set, next, by_sample));
            reads.reset();  // the workers keep it
            for (auto& reader : readers) tasks.push_back(runtime->spawn("reader", *reader));
            for (auto& task : tasks) task->join();
            CountingMeter all;
            for (auto& reader : readers) {
              CHECK(reader->wrong == 0);
              CHECK(reader->failed == "");
              all.payload_bytes += reader->meter.payload_bytes;
              all.read_bytes += reader->meter.read_bytes;
            }
            CHECK(all.payload_bytes == bytes);
            CHECK(all.read_bytes >= bytes);
            CHECK(all.read_bytes <= bytes + 64 * ReadPlan::kMaxBetween);
            if (max == 0) CHECK(all.read_bytes == bytes);
          }
  }
}

// Over pread: refuses what it is told to.
class BadEngine final : public ReadEngine {
 public:
  enum class How { large_requests, one_sample, no_memory };
  BadEngine(How how, const SampleExtents& extents, Runtime& runtime)
      : how_(how), good_(make_pread_engine(extents, runtime)) {}
  ReadBytes read(const Extent& extent) override {
    if (how_ == How::no_memory && extent.file == 2) throw std::bad_alloc();
    if (how_ == How::large_requests && extent.length != Extent::kToTheEnd && extent.length > 9'000)
      throw PartError("the device fails in large requests");
    if (how_ == How::one_sample && extent.file == 1 && extent.offset <= 9'001 &&
        extent.offset + extent.length > 9'001)
      throw PartError("the device has a bad block");
    return good_->read(extent);
  }

 private:
  How how_;
  std::unique_ptr<ReadEngine> good_;
};

std::shared_ptr<StoredReads> bad_reads(const Set& set, BadEngine::How how, std::uint32_t depth,
                                       ReadOrder& order, Runtime& runtime) {
  return std::make_shared<StoredReads>(
      set.scene, ReadOptions{IoEngine::pread, depth, 1 << 20}, nullptr, order, runtime,
      [how](const SampleExtents& extents, Runtime& r) -> std::unique_ptr<ReadEngine> {
        return std::make_unique<BadEngine>(how, extents, r);
      });
}

// A ring whose every wait fails: what it holds is in flight for ever.
class BrokenRing final : public AsyncReads {
 public:
  std::uint32_t in_flight() const noexcept override { return started_; }
  void start(const Extent&, void*) override { ++started_; }
  void wait(std::vector<Finished>&) override { throw PartError("the ring is broken"); }
  void wake() noexcept override {}

 private:
  std::uint32_t started_ = 0;
};
class BrokenRingEngine final : public ReadEngine {
 public:
  BrokenRingEngine(const SampleExtents& extents, Runtime& runtime)
      : good_(make_pread_engine(extents, runtime)) {}
  ReadBytes read(const Extent& extent) override { return good_->read(extent); }
  std::unique_ptr<AsyncReads> async(std::uint32_t) override {
    return std::make_unique<BrokenRing>();
  }

 private:
  std::unique_ptr<ReadEngine> good_;
};

TEST_CASE("stored reads: a ring that fails altogether is told, and the workers read by themselves",
          "[unit][storage]") {
  const Set set;
  const auto runtime = make_real_runtime();
  ReadOrder order({});
  std::atomic<bool> gave_up{false};
  ReadOptions options{IoEngine::pread, 4, 1 << 20};
  options.gave_up = &gave_up;
  std::size_t lost = 0, read = 0;
  {
    const auto reads = std::make_shared<StoredReads>(
        set.scene, options, nullptr, order, *runtime,
        [](const SampleExtents& extents, Runtime& r) -> std::unique_ptr<ReadEngine> {
          return std::make_unique<BrokenRingEngine>(extents, r);
        });
    const auto lane = StoredReads::lane(reads);
    CountingMeter meter;
    for (const Order& o : set.orders) reads->expect(o.request());
    while (!gave_up) runtime->yield();
    for (const Order& o : set.orders) {
      lane->begin(o.request(), meter);
      for (std::size_t i = 0; i < o.refs.size(); ++i) try {
          read += std::ranges::equal(lane->read(o.request(), i, meter).payload,
                                     set.scene.bytes_of(o.refs[i].id));
          lane->done(o.request(), i);
        } catch (const PartError&) {
          ++lost;
        }
    }
  }
  CHECK(read + lost == 64);
  // A request that failed with its ring is read alone where it has several samples.
  CHECK(lost <= 4);
}

TEST_CASE("stored reads: a request that fails says nothing of its samples; each is read alone",
          "[unit][storage]") {
  const Set set;
  const auto runtime = make_real_runtime();
  for (const std::uint32_t depth : {0, 4}) {
    ReadOrder order({});
    {
      const auto reads = bad_reads(set, BadEngine::How::large_requests, depth, order, *runtime);
      const auto lane = StoredReads::lane(reads);
      CountingMeter meter;
      for (const Order& o : set.orders) reads->expect(o.request());
      for (const Order& o : set.orders) CHECK(wrong_of(*lane, set.scene, o.request(), meter) == 0);
    }
    const auto reads = bad_reads(set, BadEngine::How::one_sample, depth, order, *runtime);
    const auto lane = StoredReads::lane(reads);
    CountingMeter meter;
    std::vector<SampleId> lost;
    for (const Order& o : set.orders) reads->expect(o.request());
    for (const Order& o : set.orders) {
      const BatchRequest request = o.request();
      lane->begin(request, meter);
      for (std::size_t i = 0; i < request.samples.size(); ++i) {
        try {
          lane->read(request, i, meter);
          CHECK(lane->done(request, i) == "");
        } catch (const PartError& error) {
          CHECK(std::string(error.message()) == "the device has a bad block");
          lost.push_back(request.samples[i].id);
        }
      }
    }
    CHECK(lost == std::vector<SampleId>{21});  // the second one of the second file
  }
}

TEST_CASE("stored reads: what is no fault of a sample comes out of the worker", "[unit][storage]") {
  const Set set;
  const auto runtime = make_real_runtime();
  for (const std::uint32_t depth : {0, 4}) {
    ReadOrder order({});
    const auto reads = bad_reads(set, BadEngine::How::no_memory, depth, order, *runtime);
    const auto lane = StoredReads::lane(reads);
    CountingMeter meter;
    for (const Order& o : set.orders) reads->expect(o.request());
    bool thrown = false;
    for (const Order& o : set.orders) {
      if (thrown) break;
      try {
        wrong_of(*lane, set.scene, o.request(), meter);
      } catch (const std::bad_alloc&) {
        thrown = true;
      }
    }
    CHECK(thrown);
  }  // and it ends with requests half read
}

TEST_CASE("stored reads: a short file is the fault of the samples behind its end alone",
          "[unit][storage]") {
  Set set;
  const auto runtime = make_real_runtime();
  // Samples 0 to 10 are whole, 11 is cut.
  std::filesystem::resize_file(set.scene.path_of(0), 100'000);
  for (const std::uint32_t depth : {0, 4}) {
    ReadOrder order({});
    const auto reads =
        std::make_shared<StoredReads>(set.scene, ReadOptions{IoEngine::pread, depth, 1 << 20},
                                      nullptr, order, *runtime, EngineMaker{});
    const auto lane = StoredReads::lane(reads);
    CountingMeter meter;
    const Order o = order_of(7, {8, 9, 10, 11, 12});
    reads->expect(o.request());
    const BatchRequest request = o.request();
    lane->begin(request, meter);
    std::vector<std::string> told;
    for (std::size_t i = 0; i < 5; ++i) {
      try {
        const StoredSample sample = lane->read(request, i, meter);
        CHECK(std::ranges::equal(sample.payload, set.scene.bytes_of(request.samples[i].id)));
        lane->done(request, i);
      } catch (const PartError& error) {
        told.emplace_back(error.message());
      }
    }
    REQUIRE(told.size() == 2);
    CHECK(told[0] == "short read of 's11': 8100 bytes requested at offset 99002, 998 available");
    CHECK(told[1] == "short read of 's12': 8200 bytes requested at offset 108000, 0 available");
  }
}

// A read ends when `wanted` have been in flight at once, or it hangs: what is counted does not
// depend on how busy the machine is.
struct CrowdedStore final : EmulatedStorage {
  CrowdedStore(Runtime& r, int at_once) : runtime(r), wanted(at_once) {}
  void fetch(std::uint64_t count, bool) override {
    bytes += count;
    ++reads;
    const int now = ++in_flight;
    for (int seen = max; seen < now && !max.compare_exchange_weak(seen, now);) {
    }
    const TimePoint begin = runtime.now();
    while (max < wanted && !alone && runtime.now() - begin < test::kHang)
      runtime.spend(std::chrono::microseconds{200}, Spend::sleep);
    alone = alone || max < wanted;
    --in_flight;
  }
  Runtime& runtime;
  const int wanted;
  std::atomic<std::uint64_t> bytes{0}, reads{0};
  std::atomic<int> in_flight{0}, max{0};
  std::atomic<bool> alone{false};  // one waited in vain: none waits any more
};

TEST_CASE(
    "stored reads: as many reads of a played store are "
    "in flight as were asked for, each asked for once",
    "[unit][storage]") {
  const Set set;
  const auto runtime = make_real_runtime();
  for (const IoEngine engine : {IoEngine::pread, IoEngine::io_uring}) {
    if (engine == IoEngine::io_uring && probe_io_uring() != 0) continue;
    for (const int depth : {0, 1, 16}) {
      INFO(name_of(engine) << " depth " << depth);
      CrowdedStore store(*runtime, std::max(1, depth));
      ReadOrder order({});
      const auto reads = std::make_shared<StoredReads>(
          set.scene, ReadOptions{engine, static_cast<std::uint32_t>(depth), 0}, &store, order,
          *runtime, EngineMaker{});
      const auto lane = StoredReads::lane(reads);
      CountingMeter meter;
      for (const Order& o : set.orders) reads->expect(o.request());
      while (store.max < depth && !store.alone) runtime->yield();
      CHECK(store.max == depth);
      for (const Order& o : set.orders) CHECK(wrong_of(*lane, set.scene, o.request(), meter) == 0);
      CHECK(store.bytes == meter.payload_bytes);
      CHECK(store.reads == 64);
      // One more is the worker's own, where it needs a read that has not started yet.
      CHECK(store.max <= depth + 1);
    }
  }
}

struct FewDescriptors {
  explicit FewDescriptors(rlim_t max) {
    ::getrlimit(RLIMIT_NOFILE, &before);
    const rlimit few{std::min(max, before.rlim_max), before.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &few);
  }
  ~FewDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before); }
  rlimit before{};
};

TEST_CASE("stored reads: mapped files that nobody has used yet do not take all descriptors",
          "[unit][storage]") {
  Scene scene;
  Order o = order_of(0, {});
  for (std::uint32_t i = 0; i < 1500; ++i)
    o.refs.push_back({scene.add(scene.add_file(100), 0, Extent::kToTheEnd), 0});
  const auto runtime = make_real_runtime();
  const FewDescriptors few(400);
  ReadOrder order({});
  const auto reads = std::make_shared<StoredReads>(scene, ReadOptions{IoEngine::mmap, 8, 0},
                                                   nullptr, order, *runtime, EngineMaker{});
  const auto lane = StoredReads::lane(reads);
  CountingMeter meter;
  reads->expect(o.request());
  CHECK_NOTHROW(wrong_of(*lane, scene, o.request(), meter) == 0);
}

// Every read takes 4 ms.
struct SlowStore final : EmulatedStorage {
  explicit SlowStore(Runtime& r) : runtime(r) {}
  void fetch(std::uint64_t, bool) override {
    runtime.spend(std::chrono::milliseconds{4}, Spend::sleep);
  }
  Runtime& runtime;
};

class VirtualReader final : public Job {
 public:
  VirtualReader(const Set& set, SimulatedRuntime& runtime) : set_(set), runtime_(runtime) {}
  void run() override {
    SlowStore store(runtime_);
    ReadOrder order({});
    const auto reads = std::make_shared<StoredReads>(
        set_.scene, ReadOptions{IoEngine::pread, 16, 0}, &store, order, runtime_, EngineMaker{});
    const auto lane = StoredReads::lane(reads);
    CountingMeter meter;
    const TimePoint begin = runtime_.now();
    for (const Order& o : set_.orders) reads->expect(o.request());
    for (const Order& o : set_.orders) wrong += wrong_of(*lane, set_.scene, o.request(), meter);
    took = runtime_.now() - begin;
  }
  std::size_t wrong = 0;
  Nanoseconds took{0};

 private:
  const Set& set_;
  SimulatedRuntime& runtime_;
};

TEST_CASE("stored reads: in virtual time the worker reads by itself", "[unit][storage]") {
  const Set set;
  const auto runtime = make_simulated_runtime();
  VirtualReader reader(set, *runtime);
  runtime->run(reader);
  CHECK(reader.wrong == 0);
  CHECK(reader.took == std::chrono::milliseconds{256});
}

TEST_CASE(
    "stored reads: tickets nobody expected, another batch of that number, and an end in the middle",
    "[unit][storage]") {
  const Set set;
  const auto runtime = make_real_runtime();
  ReadOrder order({});
  const auto reads = std::make_shared<StoredReads>(set.scene, ReadOptions{IoEngine::pread, 4, 0},
                                                   nullptr, order, *runtime, EngineMaker{});
  const auto lane = StoredReads::lane(reads);
  CountingMeter meter;
  reads->expect(set.orders[0].request());
  CHECK(wrong_of(*lane, set.scene, set.orders[3].request(), meter) == 0);
  Order other = set.orders[1];
  other.batch = 0;
  CHECK(wrong_of(*lane, set.scene, other.request(), meter) == 0);
  CHECK(wrong_of(*lane, set.scene, set.orders[0].request(), meter) == 0);
  for (const Order& o : set.orders) reads->expect(o.request());
}

}  // namespace
}  // namespace benchbench::test::storage
