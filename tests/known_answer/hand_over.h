// What queue, pool, credits and slots owe their users, as small scenes that play on either runtime:
// the same ones prove it in virtual time and with real threads. None asserts, since assertions
// belong neither on fibers nor off the main thread; each returns what it saw.
#pragma once
#include <atomic>
#include <cstring>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "harness/core/error.h"
#include "harness/pipeline/sample_accounting.h"
#include "harness/pipeline/supply.h"
#include "tests/hang.h"
#include "tests/unit/core/jobs.h"

namespace benchbench::test {

template <class Scene>
auto in_virtual_time(Scene scene) {
  const auto runtime = make_simulated_runtime();
  decltype(scene(*runtime)) seen{};
  run_simulated(*runtime, [&] { seen = scene(*runtime); });
  return seen;
}
template <class Scene>
auto on_real_threads(Scene scene) {
  const auto runtime = make_real_runtime(Nanoseconds{0});
  return scene(*runtime);
}

// Lets the others run until `true_now` holds, or hangs.
template <class Condition>
void settle(Runtime& runtime, Condition&& true_now) {
  const TimePoint hung = runtime.now() + kHang;
  while (!true_now() && runtime.now() < hung)
    runtime.spend(std::chrono::microseconds{100}, Spend::sleep);
}
// Long enough for a thread that has something to do to have done it.
inline void linger(Runtime& runtime) { runtime.spend(std::chrono::milliseconds{5}, Spend::sleep); }

// Rows hold their sample's id; a fill takes a little time, in which its batch is half written.
class MarkingLoader final : public Loader {
 public:
  explicit MarkingLoader(Nanoseconds fill_time, BatchNumber throw_in = ~BatchNumber{0})
      : fill_time_(fill_time), throw_in_(throw_in) {}
  std::atomic<std::uint64_t> begun{0}, filled{0};

  Layout layout() const override { return {1024, {}, {}}; }
  BatchSpec spec() const override {
    BatchSpec spec;
    spec.tensor[spec.count++] = {.name = "id", .dtype = DType::int64, .row = {}};
    return spec;
  }
  std::unique_ptr<LoaderWorker> worker(WorkerNumber, Runtime& runtime) override {
    struct Worker final : LoaderWorker {
      Worker(MarkingLoader& l, Runtime& r) : loader(l), runtime(r) {}
      void fill(const BatchRequest& request, StageMeter&) override {
        loader.fill(request, runtime);
      }
      MarkingLoader& loader;
      Runtime& runtime;
    };
    return std::make_unique<Worker>(*this, runtime);
  }

 private:
  void fill(const BatchRequest& request, Runtime& runtime) {
    ++begun;
    for (std::size_t i = 0; i < request.rows.count(); ++i)
      std::memset(request.rows.row(0, i), 0xff, sizeof(SampleId));
    runtime.spend(fill_time_, Spend::hybrid);
    if (request.batch == throw_in_) throw PartError("the disk is gone");
    for (std::size_t i = 0; i < request.rows.count(); ++i)
      std::memcpy(request.rows.row(0, i), &request.samples[i].id, sizeof(SampleId));
    ++filled;
  }
  Nanoseconds fill_time_;
  BatchNumber throw_in_;
};

struct InStorageOrder final : Sampler {
  std::uint64_t samples_per_epoch() const noexcept override { return 1024; }
  void begin(Epoch, std::span<SampleId> order) override {
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  }
};

// A supply with all it needs.
struct Scene {
  Scene(Runtime& its_runtime, const SupplyOptions& options,
        Nanoseconds fill_time = std::chrono::microseconds{50},
        BatchNumber throw_in = ~BatchNumber{0})
      : runtime(its_runtime),
        loader(fill_time, throw_in),
        device(make_cpu_device()),
        supply(options, loader, sampler, *device, its_runtime) {
    supply.start();
  }
  ~Scene() { supply.stop(); }
  Runtime& runtime;
  MarkingLoader loader;
  InStorageOrder sampler;
  std::unique_ptr<Device> device;
  Supply supply;
};

inline bool holds_its_ids(const BatchLease& lease) {
  return std::memcmp(lease.tensors()[0].data, lease.ids().data(), lease.ids().size_bytes()) == 0;
}

// --- the scenes
// -----------------------------------------------------------------------------------------------------

// More workers than credits, and a trainer that stands still: how many batches are begun, before
// and after it gets one.
inline std::vector<std::uint64_t> begun_while_trainer_stands(Runtime& runtime,
                                                             std::uint32_t max_jobs) {
  Scene scene(runtime,
              {.num_workers = max_jobs + 2, .max_jobs = max_jobs, .in_order = false, .meters = {}});
  std::vector<std::uint64_t> begun;
  settle(runtime, [&] { return scene.loader.filled >= max_jobs; });
  linger(runtime);
  begun.push_back(scene.loader.begun);
  const BatchLease first = scene.supply.get({});
  settle(runtime, [&] { return scene.loader.filled >= max_jobs + 1; });
  linger(runtime);
  begun.push_back(scene.loader.begun);
  begun.push_back(scene.supply.slots().size());
  return begun;
}

// One worker: the numbers of the batches got, the first `max_jobs` of which were all ready before.
inline std::vector<BatchNumber> order_of_ready_batches(Runtime& runtime, std::uint32_t max_jobs,
                                                       bool in_order) {
  Scene scene(runtime,
              {.num_workers = 1, .max_jobs = max_jobs, .in_order = in_order, .meters = {}});
  settle(runtime, [&] { return scene.loader.filled >= max_jobs; });
  linger(runtime);
  std::vector<BatchNumber> order;
  for (std::uint32_t k = 0; k < 2 * max_jobs; ++k) order.push_back(scene.supply.get({}).batch());
  return order;
}

// A trainer that keeps each batch while the workers fill whatever they are given: batches whose
// bytes were not their own as they came, or changed while it kept them.
inline std::uint64_t torn_batches(Runtime& runtime, std::uint32_t max_jobs, std::uint32_t holds) {
  Scene scene(runtime, {.num_workers = 2,
                        .batch_size = 4,
                        .max_jobs = max_jobs,
                        .trainer_holds = holds,
                        .meters = {}});
  std::vector<BatchLease> kept;
  std::uint64_t torn = 0;
  for (std::uint64_t k = 0; k < 30; ++k) {
    kept.push_back(scene.supply.get({}));
    torn += !holds_its_ids(kept.back()) || kept.back().batch() != k;
    settle(runtime, [&] { return scene.loader.filled >= k + 1 + max_jobs; });
    for (const BatchLease& lease : kept) torn += !holds_its_ids(lease);
    if (kept.size() > holds) kept.erase(kept.begin());
  }
  return torn;
}

struct Accounting {
  std::string error;  // what get() threw at last
  std::uint64_t issued = 0, delivered = 0, dropped = 0, in_flight = 0, duplicated = 0, missing = 0;
};

// Three workers, one of which throws in batch `throw_in` while the trainer waits for it.
inline Accounting accounting_after_a_throw(Runtime& runtime, BatchNumber throw_in, bool in_order) {
  Accounting accounting;
  std::exception_ptr cause;
  Scene scene(
      runtime,
      {.num_workers = 3, .batch_size = 4, .max_jobs = 5, .in_order = in_order, .meters = {}},
      std::chrono::microseconds{50}, throw_in);
  SampleAccounting counted(scene.supply.stream(), 1024);
  try {
    for (;;) {
      const BatchLease lease = scene.supply.get({});
      counted.delivered(lease.epoch(), lease.ids());
    }
  } catch (const std::exception& e) {
    accounting.error = e.what();
  }
  scene.supply.stop();
  const RequestCounts requests = scene.supply.counts();
  accounting.issued = requests.issued;
  accounting.dropped = requests.dropped;
  accounting.in_flight = scene.supply.in_flight().value;
  accounting.delivered = counted.delivered();
  accounting.duplicated = counted.duplicated();
  accounting.missing = counted.missing();
  return accounting;
}

// A queue whose getter waits without a deadline, so that a wake-up that is lost is never made good:
// batches in order, the later one of each pair put first. The numbers got; it hangs where one is
// lost.
inline std::vector<BatchNumber> got_by_one_that_waits(Runtime& runtime, bool in_order) {
  constexpr BatchNumber kBatches = 60;
  BatchQueue queue(runtime, 4, in_order, true);
  std::vector<std::unique_ptr<RingSlot>> slots;
  for (BatchNumber k = 0; k < kBatches; ++k) {
    slots.push_back(std::make_unique<RingSlot>());
    slots.back()->batch = k;
  }
  std::atomic<BatchNumber> got{0};
  Work putting([&] {
    for (BatchNumber k = 0; k < kBatches; k += 2) {
      for (const BatchNumber put : in_order ? std::vector{k + 1, k} : std::vector{k, k + 1}) {
        // Most often the getter waits by then.
        runtime.spend(std::chrono::microseconds{200}, Spend::sleep);
        queue.put(*slots[put]);
      }
      settle(runtime, [&] { return got >= k + 2; });
    }
  });
  const auto task = runtime.spawn("putter", putting);
  std::vector<BatchNumber> numbers;
  for (; got < kBatches; ++got) numbers.push_back(queue.get()->batch);
  task->join();
  return numbers;
}

// Workers of `workers` that wait for credits again and again: batches filled, after `gets` gets
// with a pause between them. It hangs where a worker that has a request is not woken.
inline std::uint64_t gets_with_idle_workers(Runtime& runtime, Dispatch dispatch, WorkUnit unit,
                                            std::uint64_t gets) {
  Scene scene(runtime, {.num_workers = 3,
                        .batch_size = 3,
                        .max_jobs = 3,
                        .dispatch = dispatch,
                        .work_unit = unit,
                        .meters = {}});
  std::uint64_t got = 0;
  for (; got < gets; ++got) {
    runtime.spend(std::chrono::microseconds{300}, Spend::sleep);
    scene.supply.get({});
  }
  return got;
}

}  // namespace benchbench::test
