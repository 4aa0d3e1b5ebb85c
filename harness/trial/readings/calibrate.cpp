// What measuring costs in this process.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "harness/pipeline/supply.h"
#include "harness/series/distribution.h"
#include "harness/trial/executor.h"

namespace benchbench {
namespace {

// Makes nothing, at once: what is left is the hand-over.
class NullLoader final : public Loader {
 public:
  Layout layout() const override { return {.samples = 1024, .shard_ends = {}, .lengths = {}}; }
  BatchSpec spec() const override {
    BatchSpec spec;
    spec.tensor[spec.count++] = {.name = "nothing", .dtype = DType::uint8, .row = {}};
    return spec;
  }
  std::unique_ptr<LoaderWorker> worker(WorkerNumber, Runtime&) override {
    class Nothing final : public LoaderWorker {
      void fill(const BatchRequest&, StageMeter&) override {}
    };
    return std::make_unique<Nothing>();
  }
};

class InOrder final : public Sampler {
 public:
  std::uint64_t samples_per_epoch() const noexcept override { return 1024; }
  void begin(Epoch, std::span<SampleId> order) override {
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  }
};

double per_call(std::uint64_t calls, Nanoseconds time) {
  return static_cast<double>(time.count()) / static_cast<double>(calls);
}

// The least of some repetitions: what else runs on the machine only ever adds.
template <class Measure>
double min_of(int repetitions, const Measure& measure) {
  double min = measure();
  for (int i = 1; i < repetitions; ++i) min = std::min(min, measure());
  return min;
}

double clock_read(Runtime& runtime) {
  constexpr int kReads = 4'000;
  const TimePoint start = runtime.now();
  for (int i = 0; i < kReads; ++i) (void)runtime.now();
  return per_call(kReads, runtime.now() - start);
}

// The smallest difference between two readings that differ.
double clock_resolution(Runtime& runtime) {
  Nanoseconds min = std::chrono::seconds{1};
  for (int i = 0; i < 1000; ++i) {
    const TimePoint first = runtime.now();
    TimePoint next = runtime.now();
    while (next == first) next = runtime.now();
    min = std::min(min, next - first);
  }
  return static_cast<double>(min.count());
}

double stage_scope(Runtime& runtime) {
  constexpr int kScopes = 2'000;
  ThreadMeter meter({.observer = 1});
  const TimePoint start = runtime.now();
  for (int i = 0; i < kScopes; ++i) StageScope scope(meter, runtime, 0, Stage::read);
  return per_call(kScopes, runtime.now() - start);
}

// One batch from a worker that makes nothing to a trainer that does nothing: the least a batch
// costs.
double queue_hop(Runtime& runtime, Device& device) {
  constexpr int kWarm = 200;
  constexpr int kBatches = 1'000;  // 2–20 ms in all three repetitions: a user waits for them
  NullLoader loader;
  InOrder sampler;
  const SupplyOptions options{.num_workers = 1, .max_jobs = 16, .meters = {.observer = 0}};
  Supply supply(options, loader, sampler, device, runtime);
  supply.start();
  for (int i = 0; i < kWarm; ++i) supply.get({});
  const TimePoint start = runtime.now();
  for (int i = 0; i < kBatches; ++i) supply.get({});
  const double hop = per_call(kBatches, runtime.now() - start);
  supply.stop();
  return hop;
}

// One small page that is touched for the first time, the kernel's clearing of it included; 0 where
// no memory could be had.
double page_fault(Runtime& runtime) {
  constexpr std::size_t kPages = 512;
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  void* const memory =
      ::mmap(nullptr, kPages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return 0;
  ::madvise(memory, kPages * page, MADV_NOHUGEPAGE);
  auto* const bytes = static_cast<volatile char*>(memory);
  const TimePoint start = runtime.now();
  for (std::size_t i = 0; i < kPages; ++i) bytes[i * page] = 1;
  const double each = per_call(kPages, runtime.now() - start);
  ::munmap(memory, kPages * page);
  return each;
}

}  // namespace

Lateness timer_lateness(Runtime& runtime, int waits, Nanoseconds each) {
  std::vector<std::int64_t> late;
  for (int i = 0; i < waits; ++i) {
    const TimePoint deadline = runtime.now() + each;
    runtime.spend_until(deadline, Spend::hybrid);
    late.push_back((runtime.now() - deadline).count());
  }
  const Distribution d = distribution_of(std::move(late));
  return {d.p50, d.p99, d.max};
}

void calibrate(Environment& environment) {
  const auto runtime = make_real_runtime();
  const auto device = make_cpu_device();
  environment.clock_read_ns = min_of(5, [&] { return clock_read(*runtime); });
  environment.clock_resolution_ns = clock_resolution(*runtime);
  environment.stage_scope_ns = min_of(5, [&] { return stage_scope(*runtime); });
  environment.queue_hop_ns = min_of(3, [&] { return queue_hop(*runtime, *device); });
  environment.page_fault_ns = min_of(3, [&] { return page_fault(*runtime); });
  // Every child waits for these: a user's first batch is to come within 100 ms. Five give no 99th
  // percentile.
  environment.timer_lateness_ns =
      timer_lateness(*runtime, 5, std::chrono::milliseconds{1}).median_ns;
}

}  // namespace benchbench
