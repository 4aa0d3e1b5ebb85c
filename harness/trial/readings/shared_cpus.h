// The CPUs that this process may use: what it has of them itself, and what other programs have.
#pragma once
#include <sys/time.h>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace benchbench {

// Returns for how many ticks no program had these CPUs, since the machine began and added up over
// them: idle, in interrupts, or taken by the host of a virtual machine. `text` is /proc/stat's,
// `cpus` ascending. nullopt where it lacks one of them, or where its line is not whole.
std::optional<std::uint64_t> spare_ticks(std::string_view text, std::span<const int> cpus) noexcept;

// The number of a thread or process, and for how many ns it was ready to run and had no CPU. Empty
// where the kernel does not say.
using RunDelays = std::map<int, std::int64_t>;

// Returns how long that thread waited within a span of time, or, of none given, the one that waited
// longest. Counts all of a thread that began meanwhile, and nothing of one that ended. nullopt
// where either is empty.
std::optional<double> delayed_s(const RunDelays& before, const RunDelays& after,
                                std::optional<int> thread = {}) noexcept;

// A reading of one instant, as near as the scheduler allows.
struct SharedCpus {
  double at_s = 0;  // CLOCK_MONOTONIC
  std::vector<int> cpus;
  std::optional<double> spare_s;  // no program had them, added up over them
  double own_s = 0;               // CPU time of this process; a watch of its children adds theirs
  RunDelays run_delays;           // of each thread of this process
  int reader = 0;                 // the thread that read this
};
SharedCpus read_shared_cpus();

double timeval_s(const timeval& t) noexcept;
// Returns what two make of what both know.
template <class T, class Combine = std::plus<>>
std::optional<T> both(const std::optional<T>& a, const std::optional<T>& b,
                      Combine combine = {}) noexcept {
  return a && b ? std::optional(combine(*a, *b)) : std::nullopt;
}

// The use of the CPUs over a span of time.
struct SharedUse {
  double span_s = 0;
  // CPU time of other programs. It may be below 0 by what the kernel counts in ticks.
  std::optional<double> others_s;
  // How long our threads waited for a CPU: the one that waited longest, the one that reads.
  std::optional<double> run_delay_most_s = {}, run_delay_reader_s = {};
  friend SharedUse operator+(const SharedUse& a, const SharedUse& b) noexcept;
};
SharedUse used_between(const SharedCpus& before, const SharedCpus& after) noexcept;

// Returns what a window of that length has of a span that is a little longer or shorter; nothing of
// one that is less than half as long, since a short span is all ticks.
SharedUse scaled_to(const SharedUse& use, double window_s) noexcept;

}  // namespace benchbench
