// What the operating system says a window cost.
#pragma once
#include <cstdint>
#include <optional>

#include "harness/trial/readings/shared_cpus.h"

namespace benchbench {

// Amounts of this process and machine. An absent one is not available here, which is not 0.
struct ResourceAmounts {
  double cpu_user_s = 0, cpu_system_s = 0;    // of this process, its ended children included
  std::uint64_t page_faults = 0;              // minor, of this process
  std::optional<std::uint64_t> device_bytes;  // fetched from block devices on our behalf
  std::optional<double> throttled_s;          // held back by the cgroup's CPU quota
  std::optional<double> steal_s, machine_s;  // of all CPUs together: stolen by the host, and in all
};

// Counters since their start.
struct ResourceCounters : ResourceAmounts {
  // Read at an instant of its own, which read_cpu_times() leaves alone.
  std::optional<SharedCpus> shared;
};
ResourceCounters read_resources() noexcept;
// Reads its CPU times and page faults anew: some us, where all of read_resources() is files.
void read_cpu_times(ResourceCounters& counters) noexcept;

struct ResourceUse : ResourceAmounts {
  std::optional<SharedUse> shared;
  // In ticks: a window shorter than one has no share.
  std::optional<double> steal_share() const noexcept;
  // The uses of two spans of time; what one of them lacks, both lack.
  friend ResourceUse operator+(const ResourceUse& a, const ResourceUse& b) noexcept;
};
ResourceUse used_between(const ResourceCounters& before, const ResourceCounters& after) noexcept;

// The process's largest resident memory since the last reset that was permitted (else since its
// start).
void reset_peak_memory() noexcept;
std::optional<std::uint64_t> peak_memory() noexcept;

}  // namespace benchbench
