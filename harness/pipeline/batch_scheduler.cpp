#include "harness/pipeline/batch_scheduler.h"

#include <algorithm>

namespace benchbench {

BatchScheduler::BatchScheduler(Parts parts, std::uint32_t max_jobs, Dispatch dispatch,
                               WorkUnit unit, std::uint32_t workers)
    : parts_(parts),
      unit_(unit),
      on_demand_(workers == 0),
      lock_(parts.runtime, !on_demand_),
      credits_(max_jobs),
      dispatcher_(dispatch, std::max(1u, workers)),
      inboxes_(dispatcher_.inboxes()),
      draw_lock_(parts.runtime, !on_demand_),
      undrawn_(max_jobs) {}

void BatchScheduler::open() {
  Guard guard(lock_);
  issue_what_can_be();
}

bool BatchScheduler::take(WorkerNumber worker, Assignment& work, WorkerClock& clock) {
  {
    Guard guard(lock_);
    Inbox& inbox = inboxes_[dispatcher_.inbox_of(worker)];
    while (!closed_ && !inbox.first) {
      clock.enter(WorkerState::waiting, parts_.runtime);
      inbox.idle.wait(guard, parts_.runtime);
    }
    if (closed_) return false;
    work = take_from(inbox);
  }
  draw_through(work.slot->batch);
  return true;
}

void BatchScheduler::got(const RingSlot& slot) {
  Guard guard(lock_);
  dispatcher_.got(slot.inbox);
  credits_.give_back();
  issue_what_can_be();
}

void BatchScheduler::close() {
  Guard guard(lock_);
  closed_ = true;
  for (Inbox& inbox : inboxes_) inbox.idle.wake_all(parts_.runtime);
}

RequestCounts BatchScheduler::counts() {
  Guard guard(lock_);
  return counts_;
}

void BatchScheduler::issue_what_can_be() {
  while (!closed_ && credits_.take()) {
    RingSlot& slot = parts_.slots.issue();
    const BatchNumber batch = issued_.load(std::memory_order_relaxed);
    const BatchPlace place = parts_.stream.place(batch);
    slot.begin(batch, place);
    // Nobody asks when a request was issued that waits for the trainer to come back for it.
    slot.issued = on_demand_ ? kNotKnown : parts_.runtime.now();
    slot.next_row = 0;
    slot.rows_left.store(place.rows, std::memory_order_relaxed);
    counts_.add(place);
    undrawn_[batch % undrawn_.size()] = &slot;
    issued_.store(batch + 1, std::memory_order_release);
    slot.inbox = dispatcher_.assign(batch);
    enqueue(slot);
  }
}

void BatchScheduler::enqueue(RingSlot& slot) {
  Inbox& inbox = inboxes_[slot.inbox];
  slot.next = nullptr;
  (inbox.last ? inbox.last->next : inbox.first) = &slot;
  inbox.last = &slot;
  if (unit_ == WorkUnit::sample)
    inbox.idle.wake_all(parts_.runtime);
  else
    inbox.idle.wake_one(parts_.runtime);
}

// A whole batch, or its next row.
Assignment BatchScheduler::take_from(Inbox& inbox) noexcept {
  RingSlot& slot = *inbox.first;
  const auto rows = static_cast<std::uint32_t>(slot.samples);
  const Assignment work{&slot, slot.next_row, unit_ == WorkUnit::sample ? 1 : rows};
  slot.next_row += work.rows;
  if (slot.next_row == rows) {
    inbox.first = slot.next;
    if (!inbox.first) inbox.last = nullptr;
  }
  return work;
}

void BatchScheduler::draw_through(BatchNumber batch) {
  if (drawn_.load(std::memory_order_acquire) > batch) return;
  Guard guard(draw_lock_);
  const BatchNumber end = issued_.load(std::memory_order_acquire);
  for (BatchNumber b = drawn_.load(std::memory_order_relaxed); b < end; ++b) {
    RingSlot& slot = *undrawn_[b % undrawn_.size()];
    parts_.stream.draw(b, slot.refs, slot.sample_ids);
    slot.announce(parts_.loader);
    drawn_.store(b + 1, std::memory_order_release);
  }
}

}  // namespace benchbench
