// Where requests come from: credits, the stream of epochs, slots and the dispatcher behind one
// counter.
#pragma once
#include <atomic>
#include <vector>

#include "harness/core/lock.h"
#include "harness/pipeline/credits.h"
#include "harness/pipeline/dispatcher.h"
#include "harness/pipeline/epoch_stream.h"
#include "harness/pipeline/slot_ring.h"
#include "harness/pipeline/worker_clock.h"

namespace benchbench {

// What a worker is to fill: `rows` rows of the slot from `first` on.
struct Assignment {
  RingSlot* slot = nullptr;
  std::uint32_t first = 0;
  std::uint32_t rows = 0;
};

struct RequestCounts {
  std::uint64_t issued = 0;   // samples: in requests, and in the tails that drop_last leaves out
  std::uint64_t dropped = 0;  // samples in those tails
  std::uint64_t batches = 0;  // requests

  // The request for the batch at `place`.
  void add(const BatchPlace& place) noexcept {
    issued += place.rows + place.tail;
    dropped += place.tail;
    ++batches;
  }
};

// Requests are issued in order, each as soon as there is a credit: at the start, then whenever the
// trainer gets a batch, in its thread (as PyTorch does). Only the cheap half happens there: number,
// slot, inbox. Which samples a batch holds is drawn by the first worker that needs it, in request
// order, so that a shuffle of a large epoch is not billed to the trainer. Thread-safe. Everything
// handed in must outlive it.
class BatchScheduler {
 public:
  struct Parts {
    Runtime& runtime;
    EpochStream& stream;
    SlotRing& slots;
    Loader& loader;
  };
  // Without workers, one thread does all: it takes what it issues.
  BatchScheduler(Parts parts, std::uint32_t max_jobs, Dispatch dispatch, WorkUnit unit,
                 std::uint32_t workers);

  // Issues the first requests.
  void open();
  // The worker's next work, with its samples drawn; waits while no credit is free (the clock's
  // `waiting`). False after close(). Throws what Loader::expect or the sampler throws.
  bool take(WorkerNumber worker, Assignment& work, WorkerClock& clock);
  // The trainer got this batch: its credit goes to the next request.
  void got(const RingSlot& slot);
  // Ends it: take() returns false from now on, to those that wait too.
  void close();

  std::uint32_t max_jobs() const noexcept { return credits_.max_jobs(); }
  RequestCounts counts();

 private:
  struct Inbox {
    RingSlot* first = nullptr;
    RingSlot* last = nullptr;
    Waiters idle;
  };
  void issue_what_can_be();
  void enqueue(RingSlot& slot);
  Assignment take_from(Inbox& inbox) noexcept;
  void draw_through(BatchNumber batch);

  Parts parts_;
  WorkUnit unit_;
  const bool on_demand_;  // without workers
  Lock lock_;
  Credits credits_;
  Dispatcher dispatcher_;
  std::vector<Inbox> inboxes_;
  bool closed_ = false;
  RequestCounts counts_;
  // Requests issued and not drawn lie between drawn_ and issued_; never more than max_jobs, so a
  // ring holds them.
  Lock draw_lock_;
  std::vector<RingSlot*> undrawn_;
  std::atomic<BatchNumber> issued_{0};
  std::atomic<BatchNumber> drawn_{0};
};

}  // namespace benchbench
