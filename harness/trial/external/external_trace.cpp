#include "harness/trial/external/external_trace.h"

#include "harness/record/trace_events.h"

namespace benchbench {
namespace {

// Adds the steps; `at` is the time at which the next one begins, in ns from the window's begin.
void add_steps(const ExternalResult& result, std::vector<TraceEvent>& events) {
  const auto& segments = result.segments;
  std::size_t segment = 1;
  std::int64_t at = 0;
  const auto add = [&](std::int64_t kind, std::int64_t ns) {
    events.push_back({kTraceTrainer, kind, at, ns});
    at += ns;
  };
  for (std::size_t i = 0; i < result.get_ns.size() && events.size() + 2 <= kMaxTraceEvents; ++i) {
    const std::int64_t begin = segments.empty() ? 0 : segments.front().first;
    if (segment < segments.size() && at >= segments[segment - 1].second - begin)
      at = segments[segment++].first - begin;
    add(static_cast<std::int64_t>(Stage::get_blocked), result.get_ns[i]);
    if (i < result.step_ns.size()) add(kTraceStep, result.step_ns[i]);
  }
}

// Adds the batches whose making began in the window.
void add_fills(const ExternalResult& result, std::vector<TraceEvent>& events) {
  if (result.segments.empty()) return;
  const auto [begin, end] = std::pair(result.segments.front().first, result.segments.back().second);
  for (const ExternalFill& fill : result.fills)
    if (fill.begin_ns >= begin && fill.begin_ns < end)
      events.push_back(
          {trace_track_of_worker(fill.worker), kTraceFill, fill.begin_ns - begin, fill.ns});
}

}  // namespace

std::vector<std::int64_t> trace_of(const ExternalResult& result) {
  std::vector<TraceEvent> events;
  add_steps(result, events);
  add_fills(result, events);
  return trace_series(events);
}

}  // namespace benchbench
