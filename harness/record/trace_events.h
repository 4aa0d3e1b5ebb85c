// The events of a window, as a trial records them and a trace writer reads them.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "harness/part/stage_meter.h"

namespace benchbench {

// What an event is. Below kStages a span of that stage; the numbers are stored, so they stay.
inline constexpr std::int64_t kTraceFill = 100;   // a worker's fill of a batch, with stages inside
inline constexpr std::int64_t kTraceStep = 101;   // the trainer's step, with stages inside
inline constexpr std::int64_t kTraceAfter = 102;  // what follows it: post-processing, checkpoints
// Batches in the queue from here on: a value, not a span.
inline constexpr std::int64_t kTraceDepth = 103;

// A batch on its way to the device, by events of its stream.
inline constexpr std::int64_t kTraceCopy = 104;
// A step on the device, from its first kernel to its last, likewise.
inline constexpr std::int64_t kTraceWork = 105;

// The trainer's thread waits for a core: the part of a get in which its batch was there.
inline constexpr std::int64_t kTraceCoreWait = 106;

// Whose it is: the trainer's thread, a worker's from 1 on, the queue's, a stream's of the device.
inline constexpr std::int64_t kTraceTrainer = 0;
inline constexpr std::int64_t kTraceQueue = -1;
inline constexpr std::int64_t kTraceCompute = -2;  // the stream of the steps
inline constexpr std::int64_t kTraceCopies = -3;   // that of the copies, where it is another one
constexpr std::int64_t trace_track_of_worker(std::int64_t worker) noexcept { return worker + 1; }

// All of a trial's together: the first ones are kept.
inline constexpr std::size_t kMaxTraceEvents = 25'000;

struct TraceEvent {
  std::int64_t track = 0;
  std::int64_t kind = 0;
  std::int64_t begin_ns = 0;  // from the window's begin; below 0 where it began before
  std::int64_t value = 0;     // duration in ns; the depth of kTraceDepth
  friend bool operator==(const TraceEvent&, const TraceEvent&) = default;
};

// The raw series "trace" of a record: four values an event.
std::vector<std::int64_t> trace_series(std::span<const TraceEvent> events);
// The inverse. Throws StoreError where the length is no multiple of four or a kind is not known.
std::vector<TraceEvent> trace_events(std::span<const std::int64_t> series);

// "fill", "step", "after", "queue depth", "core_wait" or the stage's name; nullopt where it is none
// of them.
std::optional<std::string_view> name_of_trace_kind(std::int64_t kind) noexcept;

}  // namespace benchbench
