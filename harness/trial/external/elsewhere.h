// What the processes cost that a loader or a step of this trial has of its own, where the harness
// runs the trial.
#pragma once
#include <optional>
#include <vector>

#include "harness/core/runtime.h"
#include "harness/trial/readings/shared_cpus.h"

namespace benchbench {

// Over the segments of a window, as far as they were observed: near the segments' own time.
struct SeenElsewhere {
  Nanoseconds observed{0};
  std::int64_t cpu_ns = 0, own_cpu_ns = 0;         // of those processes, all together; of this one
  std::uint64_t user_ticks = 0, system_ticks = 0;  // of those, in coarser grains, by kind
  std::optional<std::uint64_t> device_bytes;       // fetched from block devices for them
  std::optional<double> run_delay_s;    // of that of their main threads which waited longest
  std::uint64_t peak_memory_bytes = 0;  // theirs and ours at once, shared pages counted once
};

// All of one role: the loader's, or the trainer's. Nothing is read within a segment. The time of
// one that ends meanwhile is in what its parent waited for, and what begins meanwhile counts as a
// whole. One thread.
class Elsewhere {
 public:
  // What is below this process now is none of them.
  explicit Elsewhere(Runtime& runtime);
  // Memory too, which takes 10 ms for each GiB, unless it was just looked at.
  void begin_segment();
  void end_segment();
  const SeenElsewhere& seen() const noexcept { return seen_; }

 private:
  struct Reading {
    TimePoint at{};
    std::int64_t cpu_ns = 0, own_cpu_ns = 0;
    std::uint64_t user_ticks = 0, system_ticks = 0;
    std::optional<std::uint64_t> device_bytes;
    RunDelays run_delays;
  };
  std::vector<int> processes() const;
  Reading read() const;
  void look_at_memory();

  Runtime& runtime_;
  std::vector<int> others_;  // children of this process that are none of them
  Reading begin_;
  TimePoint next_memory_look_{};
  SeenElsewhere seen_;
};

}  // namespace benchbench
