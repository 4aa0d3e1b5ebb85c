// What /proc and the kernel's clocks say of another process. Every reading may fail, since the
// process may end at any time.
#pragma once
#include <cstdint>
#include <optional>

namespace benchbench {

// Counters since the process began, all its threads together, those that ended included.
struct ProcessCounters {
  std::int64_t cpu_ns = 0;
  std::uint64_t user_ticks = 0, system_ticks = 0;  // the same time in coarser grains, by its kind
  // Those of its children that ended and were waited for.
  std::uint64_t waited_user_ticks = 0, waited_system_ticks = 0;
  std::optional<std::int64_t> ran_ns;         // of its main thread: on a core
  std::optional<std::int64_t> core_wait_ns;   // and runnable, without a core
  std::optional<std::uint64_t> device_bytes;  // fetched from block devices for it
};
// nullopt where the process is gone, or has ended and is not waited for yet.
std::optional<ProcessCounters> read_counters(int pid);

// A tick of the counters above.
std::int64_t ns_of_ticks(std::uint64_t ticks) noexcept;

// Threads that run or wait for a core at this instant; 0 where the process is gone.
std::uint32_t runnable_threads(int pid);

struct ProcessMemory {
  std::uint64_t pss = 0;       // shared pages counted in parts, over those that share them
  std::uint64_t unshared = 0;  // pages that it alone has
  std::uint64_t resident = 0;
  std::uint64_t shared = 0;  // pages that are not as on disk and that others have too

  ProcessMemory& operator+=(const ProcessMemory& o) noexcept {
    pss += o.pss;
    unshared += o.unshared;
    resident += o.resident;
    shared += o.shared;
    return *this;
  }
};
// The kernel walks all of its pages for it: some 10 ms for each GiB.
std::optional<ProcessMemory> read_memory(int pid);

}  // namespace benchbench
