#include "harness/pipeline/trace_recorder.h"

#include <algorithm>
#include <limits>

namespace benchbench {
namespace {

std::int64_t ticks(TimePoint t) noexcept { return t.time_since_epoch().count(); }

bool is_stage(const TraceEvent& e) noexcept {
  return e.kind >= 0 && e.kind < static_cast<std::int64_t>(kStages) &&
         e.kind != static_cast<std::int64_t>(Stage::get_blocked) &&
         e.kind != static_cast<std::int64_t>(Stage::slot_wait);
}

std::int64_t end_of(const TraceEvent& e) noexcept { return e.begin_ns + e.value; }

// Of two that begin together the longer is the outer one.
bool begins_first(const TraceEvent& a, const TraceEvent& b) noexcept {
  return a.begin_ns != b.begin_ns ? a.begin_ns < b.begin_ns : a.value > b.value;
}

// Begin of the innermost span in which something ended; the least there is where it was in none.
// Spans are at most two deep: without workers a fill lies within the trainer's get.
std::int64_t begin_of_holder(std::span<const TraceEvent> spans, std::int64_t ended) {
  auto span = std::ranges::lower_bound(spans, ended, {}, &TraceEvent::begin_ns);
  for (int depth = 0; depth < 2 && span != spans.begin(); ++depth)
    if (end_of(*--span) >= ended) return span->begin_ns;
  return std::numeric_limits<std::int64_t>::min();
}

}  // namespace

TraceTrack::TraceTrack(TraceRecorder& recorder, std::int64_t number)
    : recorder_(recorder), number_(number) {
  events_.reserve(kMaxTraceEvents);
}

void TraceTrack::add(std::int64_t kind, TimePoint begin, std::int64_t value) noexcept {
  if (recorder_.takes_one()) events_.push_back({number_, kind, ticks(begin), value});
}

void TraceTrack::span(std::int64_t kind, TimePoint begin, TimePoint end) noexcept {
  if (end > begin) add(kind, begin, (end - begin).count());
}

void TraceTrack::stage(Stage stage, Nanoseconds time) noexcept {
  if (!recorder_.on_.load(std::memory_order_relaxed)) return;
  const TimePoint end = recorder_.runtime_.now();
  span(static_cast<std::int64_t>(stage), end - time, end);
}

void TraceTrack::value(std::int64_t kind, TimePoint at, std::int64_t value) noexcept {
  add(kind, at, value);
}

TraceRecorder::TraceRecorder(const Runtime& runtime, std::uint32_t workers) : runtime_(runtime) {
  tracks_.emplace_back(new TraceTrack(*this, kTraceTrainer));
  for (const std::int64_t track : {kTraceQueue, kTraceCompute, kTraceCopies})
    tracks_.emplace_back(new TraceTrack(*this, track));
  for (std::uint32_t w = 0; w < workers; ++w)
    tracks_.emplace_back(new TraceTrack(*this, trace_track_of_worker(w)));
}

void TraceRecorder::start(TimePoint now) noexcept {
  if (!begun_) begin_ = now;
  begun_ = true;
  on_.store(true, std::memory_order_relaxed);
}

void TraceRecorder::add_unfinished(const TraceTrack& track, std::int64_t kind, TimePoint begin,
                                   TimePoint end) {
  if (end <= begin || left_.fetch_sub(1, std::memory_order_relaxed) <= 0) return;
  unfinished_.push_back({track.number_, kind, ticks(begin), (end - begin).count()});
}

bool TraceRecorder::takes_one() noexcept {
  return on_.load(std::memory_order_relaxed) && left_.fetch_sub(1, std::memory_order_relaxed) > 0;
}

std::uint64_t TraceRecorder::dropped() const noexcept {
  return static_cast<std::uint64_t>(
      std::max<std::int64_t>(0, -left_.load(std::memory_order_relaxed)));
}

std::vector<TraceEvent> TraceRecorder::events() const {
  std::vector<TraceEvent> all;
  for (const auto& track : tracks_) {
    std::vector<TraceEvent> its = track->events_;
    for (const TraceEvent& event : unfinished_)
      if (event.track == track->number_) its.push_back(event);
    for (TraceEvent event : laid_out(std::move(its))) {
      event.begin_ns -= ticks(begin_);
      all.push_back(event);
    }
  }
  return all;
}

std::vector<TraceEvent> laid_out(std::vector<TraceEvent> track) {
  std::ranges::stable_sort(track, [](const TraceEvent& a, const TraceEvent& b) {
    return is_stage(a) != is_stage(b) ? is_stage(b) : is_stage(a) ? false : begins_first(a, b);
  });
  const auto first_stage = std::ranges::find_if(track, is_stage);
  const std::span<const TraceEvent> spans(track.begin(), first_stage);
  std::vector<TraceEvent> out(spans.begin(), spans.end());
  // The begin of the stage after this one.
  std::int64_t next = std::numeric_limits<std::int64_t>::max();
  for (auto stage = track.end(); stage != first_stage;) {
    --stage;
    const std::int64_t end = std::min(end_of(*stage), next);
    next = std::min(end, std::max(end - stage->value, begin_of_holder(spans, end_of(*stage))));
    if (next < end) out.push_back({stage->track, stage->kind, next, end - next});
  }
  std::ranges::stable_sort(out, begins_first);
  return out;
}

}  // namespace benchbench
