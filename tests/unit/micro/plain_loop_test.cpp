#include "harness/micro/plain_loop.h"

#include <catch2/catch.hpp>
#include <map>

#include "harness/core/error.h"
#include "harness/micro/described_settings.h"
#include "harness/part/catalog.h"
#include "tests/unit/core/jobs.h"

namespace benchbench::plain_loop_test {

using Filled = std::map<BatchNumber, std::vector<std::pair<SampleId, std::uint64_t>>>;

// Remembers which samples, with which seeds, each batch was filled with.
class Recording final : public Loader {
 public:
  explicit Recording(BatchNumber throw_in = ~BatchNumber{0}) : throw_in_(throw_in) {}
  Layout layout() const override { return {100, {}, {}}; }
  BatchSpec spec() const override {
    BatchSpec spec;
    spec.count = 1;
    return spec;
  }
  std::unique_ptr<LoaderWorker> worker(WorkerNumber, Runtime& runtime) override {
    return std::make_unique<Worker>(*this, runtime);
  }
  Filled filled;
  std::map<BatchNumber, std::byte*> rows;

 private:
  class Worker final : public LoaderWorker {
   public:
    Worker(Recording& loader, Runtime& runtime) : loader_(loader), runtime_(runtime) {}
    void fill(const BatchRequest& request, StageMeter&) override {
      runtime_.spend(std::chrono::milliseconds{1}, Spend::sleep);
      if (request.batch == loader_.throw_in_) throw PartError("no such batch");
      for (const SampleRef& s : request.samples)
        loader_.filled[request.batch].emplace_back(s.id, s.seed);
      loader_.rows[request.batch] = request.rows.row(0, 0);
    }

   private:
    Recording& loader_;
    Runtime& runtime_;
  };
  BatchNumber throw_in_;
};

struct Bench {
  explicit Bench(Recording& its_loader) : loader(its_loader) {
    static const DescribedSettings none(
        *built_in_catalog().find(PartKind::trainer, "discard")->description, {});
    sampler = built_in_catalog()
                  .maker(PartKind::sampler, "random")
                  .sampler({.layout = loader.layout(), .seed = 5, .settings = none});
  }
  using DescribedSettings = micro::DescribedSettings;
  Recording& loader;
  std::unique_ptr<SimulatedRuntime> runtime = make_simulated_runtime();
  std::unique_ptr<Device> device = make_cpu_device();
  std::unique_ptr<Sampler> sampler;
  SupplyOptions options{.num_workers = 3, .batch_size = 7, .max_jobs = 6, .seed = 5, .meters = {}};
  micro::PlainLoop::Order order() { return {loader, *sampler, *device, *runtime, options, 40}; }
};

TEST_CASE("plain loop: it fills the batches that the pool fills, with the same samples and seeds",
          "[unit][micro]") {
  Recording by_pool;
  Bench pool(by_pool);
  test::run_simulated(*pool.runtime, [&] {
    Supply supply(pool.options, by_pool, *pool.sampler, *pool.device, *pool.runtime);
    supply.start();
    for (int i = 0; i < 40; ++i) supply.get({});
    supply.stop();
  });
  Recording by_loop;
  Bench bench(by_loop);
  test::run_simulated(*bench.runtime, [&] {
    micro::PlainLoop loop(bench.order());
    loop.run();
  });
  REQUIRE(by_loop.filled.size() >= 40);
  for (BatchNumber batch = 0; batch < 40; ++batch)
    CHECK(by_loop.filled[batch] == by_pool.filled[batch]);
  CHECK(by_loop.filled[0].size() == 7);
}

TEST_CASE("plain loop: its time is the work's over the threads, its slots as many as the pool's",
          "[unit][micro]") {
  Recording loader;
  Bench bench(loader);
  Nanoseconds first{0};
  Nanoseconds second{0};
  test::run_simulated(*bench.runtime, [&] {
    micro::PlainLoop loop(bench.order());
    first = loop.run();
    second = loop.run();
  });
  CHECK(first == std::chrono::milliseconds{14});  // 40 batches by 3 threads, 1 ms each
  CHECK(second == first);
  std::map<std::byte*, int> slots;
  for (const auto& [batch, row] : loader.rows) ++slots[row];
  CHECK(slots.size() == 7);  // max_jobs and the trainer's
}

TEST_CASE("plain loop: what a loader throws ends the run", "[unit][micro]") {
  Recording loader(11);
  Bench bench(loader);
  CHECK_THROWS_WITH(test::run_simulated(*bench.runtime,
                                        [&] {
                                          micro::PlainLoop loop(bench.order());
                                          loop.run();
                                        }),
                    "no such batch");
}

}  // namespace benchbench::plain_loop_test
