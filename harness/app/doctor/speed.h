// How fast this machine is today: one thread's arithmetic and copying, and how late its timers are.
#pragma once
#include <optional>
#include <string>

#include "harness/core/runtime.h"

namespace benchbench {

// Multiplications and additions of floats per second on one thread, with the widest vectors the CPU
// has, at best of several tries in about 0.2 s: the figure of how healthy the machine is.
double multiply_adds_per_second(const Runtime& runtime);
// Bytes per second that one thread copies from memory to memory, buffers well beyond the caches, at
// best of several tries.
double memory_copy_rate(const Runtime& runtime);

// Hz, the CPUs' mean as the probe beside a trial takes it, while `threads` are at work, one for
// each CPU: few would run faster than all can. nullopt, and why, where this machine does not tell.
std::optional<double> busy_clock(Runtime& runtime, unsigned threads, std::string& why);

// Medians over 50 waits of 1 ms, by how much each ended late.
struct TimerLateness {
  double hybrid_ns = 0;  // as mocks wait: asleep to just before, then spinning
  double sleep_ns = 0;   // asleep all the time
};
TimerLateness timer_lateness(Runtime& runtime);

}  // namespace benchbench
