// Records what the threads of a trial do in a window, event by event.
#pragma once
#include <atomic>
#include <memory>
#include <vector>

#include "harness/core/runtime.h"
#include "harness/record/trace_events.h"

namespace benchbench {

class TraceRecorder;

// One thread's events, in memory of its own that is there before the window is. Only that thread
// adds.
class TraceTrack {
 public:
  // From reading to reading, both of which somebody has already.
  void span(std::int64_t kind, TimePoint begin, TimePoint end) noexcept;
  // A stage that has just ended: the clock is read for it, since a meter is told durations only.
  void stage(Stage stage, Nanoseconds time) noexcept;
  void value(std::int64_t kind, TimePoint at, std::int64_t value) noexcept;

 private:
  friend class TraceRecorder;
  TraceTrack(TraceRecorder& recorder, std::int64_t number);
  void add(std::int64_t kind, TimePoint begin, std::int64_t value) noexcept;

  TraceRecorder& recorder_;
  const std::int64_t number_;
  std::vector<TraceEvent> events_;  // begin_ns by the runtime's clock
};

// At most kMaxTraceEvents of all threads together, the first ones, so that all tracks end at about
// the same time. Costs a clock read a stage and some 20 ns an event: for looking at a window, not
// for its numbers.
class TraceRecorder {
 public:
  TraceRecorder(const Runtime& runtime, std::uint32_t workers);

  TraceTrack& trainer() noexcept { return *tracks_[0]; }
  TraceTrack& queue() noexcept { return *tracks_[1]; }
  // Written by the trainer's thread too, as it reads events.
  TraceTrack& compute() noexcept { return *tracks_[2]; }
  TraceTrack& copies() noexcept { return *tracks_[3]; }
  TraceTrack& worker(std::uint32_t number) noexcept { return *tracks_[4 + number]; }

  // By the trainer's thread: events that end from now on are kept, until stop(). The first call is
  // the trace's begin.
  void start(TimePoint now) noexcept;
  void stop() noexcept { on_.store(false, std::memory_order_relaxed); }
  // By the trainer's thread too, after stop(): what a thread was still in at the end, as if it had
  // ended then.
  void add_unfinished(const TraceTrack& track, std::int64_t kind, TimePoint begin, TimePoint end);

  // Only after the end of those who add: what was kept, laid out (see laid_out()), and how many
  // were not.
  std::vector<TraceEvent> events() const;
  std::uint64_t dropped() const noexcept;

 private:
  friend class TraceTrack;
  bool takes_one() noexcept;

  const Runtime& runtime_;
  std::vector<std::unique_ptr<TraceTrack>> tracks_;
  std::vector<TraceEvent> unfinished_;
  std::atomic<bool> on_{false};
  std::atomic<std::int64_t> left_{kMaxTraceEvents};
  bool begun_ = false;
  TimePoint begin_{};
};

// One track's events in the order they began, outer spans first. Of a stage its length and a time
// at which it had ended are known, and parts tell several at once (decode and transform of a
// sample): they are put one before the other, the last as late as it can be, within the span that
// they ended in.
std::vector<TraceEvent> laid_out(std::vector<TraceEvent> track);

}  // namespace benchbench
