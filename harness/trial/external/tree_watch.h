// A process and all that it started, watched from outside by the thread that waits for it.
#pragma once
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "harness/core/runtime.h"
#include "harness/trial/external/memory_watch.h"
#include "harness/trial/external/process_reading.h"

namespace benchbench {

// Over the segments of a window. What could not be read of any process is "not measured".
struct TreeSeen {
  // Between the readings at the segments' ends; near the segments' own time.
  Nanoseconds observed{0};
  std::int64_t workers_cpu_ns = 0, main_cpu_ns = 0;  // workers and what they started; all others
  std::uint64_t user_ticks = 0, system_ticks = 0;    // of both together
  std::optional<std::int64_t> workers_core_wait_ns, main_core_wait_ns;
  std::optional<std::int64_t> main_ran_ns;        // of the main process's main thread
  std::optional<std::int64_t> most_core_wait_ns;  // of one of them, in each segment the longest
  std::optional<std::uint64_t> device_bytes;
  std::optional<double> runnable_mean, runnable_max;
  std::optional<double> runnable_workers_mean;  // of workers, not of what they started
  Nanoseconds cost{0};                          // CPU time of looking, within segments
};

// Whether memory is looked at where a segment begins: within it, which counts as the cost of
// measuring.
enum class MemoryAtBegin { of_new_workers, none };

// Counters are read at the segments' ends, so that each process is billed by its own clock. Which
// processes there are, and memory, is looked at when a second has passed, or later where it takes
// long: no more than 1/200 of the time goes into it. Workers of which the memory was never looked
// at, such as those of a short epoch, are at a segment's begin, within the same share. A process
// that begins and ends between two looks is not seen; of one that ends, what came after its last
// reading is lost.
class TreeWatch {
 public:
  // `root` runs, and is waited for only after the watch's end. `every`: how often threads are
  // counted, as far as look() is called; 0: within segments nothing is looked at. `gentle`: what is
  // watched runs on as a whole, also between segments, so that looks at its memory, which hold it
  // up, take a 500th of its time at most.
  TreeWatch(Runtime& runtime, int root, Nanoseconds every, bool gentle = false);

  // Whose they are from here on. Cheap where they are the same.
  void workers(std::span<const int> pids);
  void begin_segment(MemoryAtBegin memory = MemoryAtBegin::of_new_workers);
  void end_segment();
  // As often as there is time.
  void look();

  const TreeSeen& seen() const noexcept { return seen_; }
  // Returns the CPU time of the tree as it was last read, in segments and between them. A process
  // counts from its own begin, also one that began and ended between two readings where its parent
  // waited for it. The time never falls.
  std::int64_t spent_ns() const noexcept { return spent_ns_; }
  // Returns the same, read now. Between segments, processes that began since are searched for once
  // a second at most.
  std::int64_t read_spent_ns();
  // What was seen so far. All counts begin anew, and with the next segment the growth of memory.
  TreeSeen take();
  const MemoryWatch& memory() const noexcept { return memory_; }

 private:
  // One that is, or was, in the present segment.
  struct Tracked {
    std::uint64_t started = 0;  // with the number, who it is
    bool worker = false;        // or started by one
    bool gone = false;
    ProcessCounters begin, last;
  };
  class Billed;

  void find_processes();
  void track(int pid, std::uint64_t started, bool worker);
  void read_all();
  void bill_segment();
  void count_runnable();
  void look_at_memory();
  bool is_worker(int pid) const noexcept;

  Runtime& runtime_;
  const int root_;
  const Nanoseconds every_;
  std::vector<int> workers_;
  std::map<int, Tracked> processes_;
  bool in_segment_ = false;
  bool anew_ = false;           // the growth of memory, with the next segment
  bool seen_at_begin_ = false;  // the workers' memory, at this segment's begin
  int pause_at_ends_;
  TimePoint segment_began_{}, next_count_{}, next_search_{}, next_begin_look_{}, next_end_look_{};
  TimePoint found_{};  // when processes were searched for last
  double runnable_sum_ = 0, runnable_max_ = 0, runnable_workers_sum_ = 0;
  std::uint64_t runnable_looks_ = 0;
  std::int64_t spent_ns_ = 0;
  TreeSeen seen_;
  MemoryWatch memory_;
};

}  // namespace benchbench
