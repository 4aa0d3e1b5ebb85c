// What the instrument is made of, one piece at a time.
#include <benchmark/benchmark.h>

#include <vector>

#include "harness/core/crc32c.h"
#include "harness/core/digest.h"
#include "harness/core/random.h"
#include "harness/micro/benchmarks.h"
#include "harness/pipeline/thread_meter.h"

namespace benchbench::micro {
namespace {

std::vector<std::byte> noise(std::int64_t size) {
  Random random(1);
  std::vector<std::byte> bytes(static_cast<std::size_t>(size));
  for (auto& b : bytes) b = static_cast<std::byte>(random.next());
  return bytes;
}

void clock_read(benchmark::State& state) {
  const auto runtime = make_real_runtime();
  for (auto _ : state) benchmark::DoNotOptimize(runtime->now());
}

void stage_scope(benchmark::State& state) {
  const auto runtime = make_real_runtime();
  ThreadMeter meter({});
  for (auto _ : state) const StageScope scope(meter, *runtime, 0, Stage::decode);
}

template <class Sum>
void checksum(benchmark::State& state, Sum sum) {
  const auto bytes = noise(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(sum(std::span<const std::byte>(bytes)));
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) * state.range(0));
}

// Answers every permit with one.
class Echo final : public Job {
 public:
  explicit Echo(Runtime& runtime) : runtime_(runtime) {}
  void run() override {
    while (runtime_.park(there, kForever) && !stop.load(std::memory_order_relaxed))
      runtime_.unpark(here);
  }
  Waiter here, there;
  std::atomic<bool> stop{false};

 private:
  Runtime& runtime_;
};

// One permit to another task and back.
void send_and_hear(benchmark::State& state, Runtime& runtime) {
  Echo echo(runtime);
  const auto task = runtime.spawn("echo", echo);
  for (auto _ : state) {
    runtime.unpark(echo.there);
    runtime.park(echo.here, kForever);
  }
  echo.stop = true;
  runtime.unpark(echo.there);
}

// Between two threads.
void wake_up_and_back(benchmark::State& state) {
  const auto runtime = make_real_runtime(std::chrono::microseconds{state.range(0)});
  send_and_hear(state, *runtime);
}

// Between two fibers of the simulated runtime.
class SimulatedEcho final : public Job {
 public:
  SimulatedEcho(benchmark::State& state, Runtime& runtime) : state_(state), runtime_(runtime) {}
  void run() override { send_and_hear(state_, runtime_); }

 private:
  benchmark::State& state_;
  Runtime& runtime_;
};

void simulated_wake_up_and_back(benchmark::State& state) {
  const auto runtime = make_simulated_runtime();
  SimulatedEcho echo(state, *runtime);
  runtime->run(echo);
}

}  // namespace

void register_pieces() {
  benchmark::RegisterBenchmark("clock_read", clock_read);
  benchmark::RegisterBenchmark("stage_scope", stage_scope);
  const auto digest = [](std::span<const std::byte> bytes) { return digest_of(bytes).low; };
  const auto crc = [](std::span<const std::byte> bytes) { return crc32c(bytes); };
  const auto by_table = [](std::span<const std::byte> bytes) { return crc32c_by_table(bytes); };
  benchmark::RegisterBenchmark("digest", [=](benchmark::State& s) { checksum(s, digest); })
      ->Arg(1024)
      ->Arg(114'660);
  benchmark::RegisterBenchmark("crc32c", [=](benchmark::State& s) { checksum(s, crc); })
      ->Arg(1024)
      ->Arg(65'536);
  benchmark::RegisterBenchmark("crc32c_by_table", [=](benchmark::State& s) {
    checksum(s, by_table);
  })->Arg(65'536);
  benchmark::RegisterBenchmark("wake_up_and_back", wake_up_and_back)
      ->ArgName("spin_us")
      ->Arg(0)
      ->Arg(10)
      ->UseRealTime();
  benchmark::RegisterBenchmark("simulated_wake_up_and_back", simulated_wake_up_and_back);
}

}  // namespace benchbench::micro
