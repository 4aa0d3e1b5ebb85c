// The one queue between the workers and the trainer.
#pragma once
#include <exception>
#include <vector>

#include "harness/core/lock.h"
#include "harness/pipeline/slot_ring.h"
#include "harness/pipeline/trace_recorder.h"
#include "harness/record/trial_record.h"

namespace benchbench {

// Filled batches, handed over in the order of their numbers or as they come. Its waits are the
// meter: the time the trainer spends in get() is time the loader costs. A put never waits, since at
// most `max_jobs` batches are issued and not got; what holds a worker back is the batch scheduler,
// and that is time the trainer costs. Any threads put, one gets.
//
// Metered, it adds its depth up over time and stamps `ready_at` and `got_at` on what it hands over:
// by Little's law the stays between the stamps must add up to the same, to the nanosecond, for both
// have the one reading that is taken under the lock as a batch comes or goes. A thread may lose its
// core between two readings: loops that discard were 12 and 56 % off on a machine without a core to
// spare. Off, it reads the clock for `filled` and where it waits.
class BatchQueue {
 public:
  // Not `shared`: the one that gets puts too.
  BatchQueue(Runtime& runtime, std::uint32_t max_jobs, bool in_order, bool metered,
             bool shared = true);

  // Hands a filled slot over, and stamps `filled` as the last thing before it can be got: long ago
  // where the one that gets it made it. After close() it is kept and counted but never got.
  void put(RingSlot& slot);
  // The next batch; nullptr at the deadline. Throws the cause where the queue was closed with one,
  // InterruptedError where it was closed without.
  RingSlot* get(TimePoint deadline = kForever);
  // Ends the queue, at once: batches that are ready stay where they are. The first cause stays.
  void close(std::exception_ptr cause);
  bool closed();

  // The track gets its depth too, where it is metered. Before the first put.
  void trace(TraceTrack& track) noexcept { track_ = &track; }
  // From its start up to `now`, but for `stay_ns`, which is not its own to say. Only after the end
  // of those who put.
  QueueFacts facts(TimePoint now) const noexcept;

 private:
  bool next_is_ready() const noexcept;
  RingSlot* pop() noexcept;
  void change_depth(int by, TimePoint at) noexcept;

  Runtime& runtime_;
  const bool in_order_, shared_;
  Lock lock_;
  Waiters trainer_;
  // In order: by batch number modulo its size; else a ring of `count_` from `next_` on.
  std::vector<RingSlot*> ready_;
  BatchNumber next_ = 0;  // in order: the next to hand over
  std::size_t count_ = 0;
  bool closed_ = false;
  std::exception_ptr cause_;
  TraceTrack* track_ = nullptr;
  const bool metered_;
  const TimePoint began_;
  TimePoint changed_at_;  // its depth, last
  QueueFacts facts_;      // up to then
};

}  // namespace benchbench
