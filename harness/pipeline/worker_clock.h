// Where a worker's time goes.
#pragma once
#include <atomic>
#include <cstdint>
#include <optional>

#include "harness/core/runtime.h"
#include "harness/pipeline/trace_recorder.h"
#include "harness/record/trial_record.h"

namespace benchbench {

enum class WorkerState : std::uint8_t {
  handing_over,  // starting, putting a batch, taking the next request
  waiting,       // no request, because no credit is free: time the trainer costs
  filling,
};

// One worker's clock: each instant belongs to exactly one state, so the states add up to the wall
// time, also in a window that cuts a fill in two. One thread at a time writes, any reads. Off, it
// never looks at the runtime's clock.
class alignas(64) WorkerClock {
 public:
  explicit WorkerClock(bool on = true) noexcept : on_(on) {}
  // Fills and waits are told to it too. Before the clock runs.
  void trace(TraceTrack& track) noexcept { track_ = &track; }
  bool on() const noexcept { return on_; }

  // Returns the reading, 0 where it is off.
  TimePoint enter(WorkerState state, const Runtime& runtime) noexcept {
    if (!on_) return {};
    const TimePoint now = runtime.now();
    enter_at(state, now);
    return now;
  }
  void batch_handed_over() noexcept {
    batches_.store(batches_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }

  // The unfinished state up to `now`, told to the track it traces on as one that `recorder` adds:
  // any thread.
  void trace_unfinished(TraceRecorder& recorder, TimePoint now) const noexcept {
    if (!track_) return;
    for (;;) {
      const std::uint64_t before = version_.load(std::memory_order_acquire);
      const auto state = state_.load(std::memory_order_acquire);
      const TimePoint since{Nanoseconds{since_.load(std::memory_order_acquire)}};
      if (before % 2 == 1 || version_.load(std::memory_order_acquire) != before) continue;
      if (before > 0 && traced_kind(state))
        recorder.add_unfinished(*track_, *traced_kind(state), since, now);
      return;
    }
  }

  // Totals up to `now`, the unfinished state included.
  WorkerTimes times(TimePoint now) const noexcept {
    for (;;) {
      const std::uint64_t before = version_.load(std::memory_order_acquire);
      std::int64_t total[3];
      for (int i = 0; i < 3; ++i) total[i] = total_[i].load(std::memory_order_acquire);
      const auto state = state_.load(std::memory_order_acquire);
      const std::int64_t since = since_.load(std::memory_order_acquire);
      if (before % 2 == 1 || version_.load(std::memory_order_acquire) != before) continue;
      if (before > 0) total[static_cast<int>(state)] += now.time_since_epoch().count() - since;
      return {.fill_ns = total[static_cast<int>(WorkerState::filling)],
              .slot_wait_ns = total[static_cast<int>(WorkerState::waiting)],
              .queue_ns = total[static_cast<int>(WorkerState::handing_over)],
              .batches = batches_.load(std::memory_order_relaxed),
              .reads = before / 2};
    }
  }

 private:
  // A version that is odd while the rest changes. Release stores order it without a fence.
  void enter_at(WorkerState state, TimePoint now) noexcept {
    const std::uint64_t version = version_.load(std::memory_order_relaxed);
    version_.store(version + 1, std::memory_order_relaxed);
    const std::int64_t at = now.time_since_epoch().count();
    if (version > 0) {
      auto& total = total_[static_cast<int>(state_.load(std::memory_order_relaxed))];
      total.store(
          total.load(std::memory_order_relaxed) + at - since_.load(std::memory_order_relaxed),
          std::memory_order_release);
      if (track_) trace_state(now);
    }
    since_.store(at, std::memory_order_release);
    state_.store(state, std::memory_order_release);
    version_.store(version + 2, std::memory_order_release);
  }

  static std::optional<std::int64_t> traced_kind(WorkerState state) noexcept {
    if (state == WorkerState::filling) return kTraceFill;
    if (state == WorkerState::waiting) return static_cast<std::int64_t>(Stage::slot_wait);
    return std::nullopt;
  }
  void trace_state(TimePoint now) noexcept {
    const TimePoint since{Nanoseconds{since_.load(std::memory_order_relaxed)}};
    if (const auto kind = traced_kind(state_.load(std::memory_order_relaxed)))
      track_->span(*kind, since, now);
  }

  bool on_;
  TraceTrack* track_ = nullptr;
  std::atomic<std::uint64_t> version_{0};
  std::atomic<std::int64_t> total_[3] = {};
  std::atomic<std::int64_t> since_{0};
  std::atomic<std::uint64_t> batches_{0};
  std::atomic<WorkerState> state_{WorkerState::handing_over};
};

}  // namespace benchbench
