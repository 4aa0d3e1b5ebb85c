// What NVML says of the GPU that a trial runs on, and who else uses it.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "harness/core/lock.h"
#include "harness/core/runtime.h"
#include "harness/cuda/nvml_probe.h"
#include "harness/record/trial_record.h"

namespace benchbench {

// Levels that NVML has: shares in percent, bytes, Hz, watts, degrees Celsius, bytes a second.
enum class GpuLevel : std::uint8_t {
  busy,
  memory_busy,
  memory,
  clock,
  memory_clock,
  power,
  temperature,
  received,
  sent
};

// A card and the processes that were on it before the trial; absent: those that are now.
struct WatchedCard {
  std::string name, model, uuid;
  std::optional<std::set<unsigned>> before = {};
};

// Asks NVML on a thread of its own, again and again: some calls take 1 ms, those for the bytes over
// PCIe 20 ms, and neither the trainer's thread nor the probes' is to wait for them. Made before the
// trial's own context is: whoever is on the device then is a stranger.
class GpuWatch final : private Job {
 public:
  GpuWatch(std::unique_ptr<cuda::NvmlProbe> probe, Runtime& runtime, WatchedCard card = {},
           Nanoseconds every = kEvery);
  // Of a device of this name; null where there is none of this number. DeviceError where there is
  // no driver.
  static std::unique_ptr<GpuWatch> of(std::string_view device, Runtime& runtime);
  ~GpuWatch() override;

  // The trial's own context is there. From here on NVML is asked; who comes before the first window
  // is no stranger: NVML lists the trial's own process late, and in a container under another
  // number, which is remembered for later trials of this process. Nor is who runs below this one.
  void start();
  // As read last; nullopt where NVML does not say, and where the last answer is older than kStale
  // intervals. Any thread.
  std::optional<std::int64_t> level(GpuLevel which) const;
  // Why there is no such level, "" where there is. Any thread.
  std::string absent(GpuLevel which) const;

  // facts() are of what was read between them.
  void begin_window();
  void end_window();
  // NVML is not asked again until the next window begins.
  void rest();
  GpuFacts facts() const;
  // Returns them, and counts anew: for the next stretch of the same processes.
  GpuFacts take_facts();

  static constexpr Nanoseconds kEvery = std::chrono::milliseconds{100};
  static constexpr int kStale = 10;

 private:
  void run() override;
  bool await_turn(TimePoint next);
  void take(cuda::NvmlReading reading);
  void judge();
  void count_reasons(std::uint64_t bits);
  void note_strangers();
  void note_energy();
  bool is_own(unsigned pid);
  void take_own();

  Runtime& runtime_;
  const Nanoseconds every_;
  const std::unique_ptr<cuda::NvmlProbe> probe_;
  const WatchedCard card_;
  std::set<unsigned> before_;  // process ids, of strangers
  mutable Lock lock_;          // what follows
  std::set<unsigned> own_;
  Waiter waiter_;
  bool ended_ = false, resting_ = false, counting_ = false, had_window_ = false;
  cuda::NvmlReading reading_;
  TimePoint read_at_{};
  std::array<unsigned, 64> reasons_{};  // readings in the window that gave this reason, by bit
  unsigned reason_readings_ = 0;
  std::optional<std::uint64_t> errors_before_;
  // The last reading of this segment with an energy, and what came between such readings.
  std::optional<std::pair<TimePoint, double>> energy_at_;
  double joules_ = 0;
  Nanoseconds metered_{0}, counted_{0};
  TimePoint begin_{};
  GpuFacts facts_;
  std::unique_ptr<Task> task_;
};

}  // namespace benchbench
