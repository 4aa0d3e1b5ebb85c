#include "harness/app/doctor/speed.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <vector>

#include "harness/app/doctor/path_speed.h"
#include "harness/trial/probes/probe.h"

namespace benchbench {
namespace {

// Floats: 256 bits, which every x86 server of ten years has two units for.
constexpr std::size_t kLanes = 8;
// Chains are independent, so that latency (4 or 5 cycles on two units) is hidden; they fit the
// registers.
constexpr std::size_t kChains = 12;
constexpr std::size_t kRounds = 100'000;
using Vector = float __attribute__((vector_size(kLanes * sizeof(float))));

// x = x × m + a in each lane of each chain; m below 1 keeps the values in range. Inlined into one
// function for each set of instructions: GCC's own choice (target_clones with arch=) asks for the
// CPU's model, and took SSE on an AMD CPU.
[[gnu::always_inline]] inline float run_chains(float m, float a) {
  Vector x[kChains];
  for (std::size_t chain = 0; chain < kChains; ++chain)
    x[chain] = Vector{} + static_cast<float>(chain);
  for (std::size_t round = 0; round < kRounds; ++round) {
#pragma GCC unroll 12
    for (Vector& v : x) v = v * m + a;
  }
  Vector sum{};
  for (const Vector& v : x) sum += v;
  float total = 0;
  for (std::size_t lane = 0; lane < kLanes; ++lane) total += sum[lane];
  return total;
}

float run_plain(float m, float a) { return run_chains(m, a); }

#if defined(__x86_64__)
[[gnu::target("avx2,fma")]] float run_wide(float m, float a) { return run_chains(m, a); }
bool has_wide() { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }
#else
float run_wide(float m, float a) { return run_chains(m, a); }
bool has_wide() { return false; }
#endif

class Arithmetic final : public Job {
 public:
  explicit Arithmetic(const Runtime& runtime) : runtime_(runtime) {}
  void run() override {
    while (!done.load(std::memory_order_relaxed)) multiply_adds_per_second(runtime_);
  }
  std::atomic<bool> done{false};

 private:
  const Runtime& runtime_;
};

double count_seconds(const Runtime& runtime, TimePoint start) {
  return to_seconds(runtime.now() - start);
}

double median_lateness(Runtime& runtime, Spend how) {
  constexpr int kWaits = 50;
  std::vector<Nanoseconds> late;
  for (int i = 0; i < kWaits; ++i) {
    const TimePoint deadline = runtime.now() + std::chrono::milliseconds{1};
    runtime.spend_until(deadline, how);
    late.push_back(runtime.now() - deadline);
  }
  return static_cast<double>(median_time(std::move(late)).count());
}

}  // namespace

double multiply_adds_per_second(const Runtime& runtime) {
  constexpr double kOperations = 2.0 * kLanes * kChains * kRounds;
  const TimePoint start = runtime.now();
  double best = 0;
  volatile float keep = 0;
  const auto run = has_wide() ? run_wide : run_plain;
  do {
    const TimePoint begin = runtime.now();
    keep = keep + run(0.999f, 0.001f);
    best = std::max(best, kOperations / count_seconds(runtime, begin));
  } while (count_seconds(runtime, start) < 0.2);
  return best;
}

double memory_copy_rate(const Runtime& runtime) {
  constexpr std::size_t kBytes = 64 << 20;
  const auto from = std::make_unique_for_overwrite<std::byte[]>(kBytes);
  const auto to = std::make_unique_for_overwrite<std::byte[]>(kBytes);
  std::memset(from.get(), 1, kBytes);
  std::memset(to.get(), 2, kBytes);  // the pages are there before the clock runs
  double best = 0;
  for (int i = 0; i < 8; ++i) {
    from[static_cast<std::size_t>(i)] = std::byte{3};
    const TimePoint begin = runtime.now();
    std::memcpy(to.get(), from.get(), kBytes);
    best = std::max(best, kBytes / count_seconds(runtime, begin));
    if (to[static_cast<std::size_t>(i)] != std::byte{3}) return 0;  // never: the copy is looked at
  }
  return best;
}

std::optional<double> busy_clock(Runtime& runtime, unsigned threads, std::string& why) {
  ProbeContext context;
  const auto probe = probes::cpu_clock(context, why);
  if (!probe) return std::nullopt;
  // Governors raise the clock within some 10 ms of work; read while it lasts.
  Arithmetic work(runtime);
  const auto tasks = spawn_alike(runtime, "arithmetic", work, threads);
  runtime.spend(std::chrono::milliseconds{200}, Spend::sleep);
  context.files.next_tick();  // else it is the text from before the work
  const auto hertz = probe->sample();
  work.done = true;
  for (const auto& task : tasks) task->join();
  if (!hertz) why = probe->why();
  return hertz ? std::optional(static_cast<double>(*hertz)) : std::nullopt;
}

TimerLateness timer_lateness(Runtime& runtime) {
  return {median_lateness(runtime, Spend::hybrid), median_lateness(runtime, Spend::sleep)};
}

}  // namespace benchbench
