#include "harness/trial/external/external_trace.h"

#include "harness/record/trace_events.h"

namespace benchbench {
namespace {

// Keeps the time at which the next step begins, in ns from the window's begin.
class Clock {
 public:
  explicit Clock(const ExternalResult& result) : segments_(result.segments) {}

  void begin_step() {
    if (next_ >= segments_.size() || at_ < of_window(segments_[next_ - 1].second)) return;
    at_ = of_window(segments_[next_++].first);
  }
  // The begin of a span of so many ns.
  std::int64_t spend(std::int64_t ns) {
    at_ += ns;
    return at_ - ns;
  }

 private:
  std::int64_t of_window(std::int64_t time) const { return time - segments_.front().first; }

  const std::vector<std::pair<std::int64_t, std::int64_t>>& segments_;
  std::size_t next_ = 1;
  std::int64_t at_ = 0;
};

void add_steps(const ExternalResult& result, std::vector<TraceEvent>& events) {
  Clock clock(result);
  for (std::size_t i = 0; i < result.get_ns.size() && events.size() + 2 <= kMaxTraceEvents; ++i) {
    clock.begin_step();
    const std::int64_t waited = result.get_ns[i];
    events.push_back({kTraceTrainer, static_cast<std::int64_t>(Stage::get_blocked),
                      clock.spend(waited), waited});
    if (i >= result.step_ns.size()) continue;
    events.push_back(
        {kTraceTrainer, kTraceStep, clock.spend(result.step_ns[i]), result.step_ns[i]});
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
