#include "harness/report/trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "harness/record/trace_events.h"

namespace benchbench {
namespace {

constexpr int kProcess = 1;

// Viewers sort threads by id: the trainer first, then its workers, then the device's streams. Id 0
// is no thread to some of them.
constexpr std::int64_t kFirstStream = 1'000'000;

std::int64_t thread_of(std::int64_t track) { return track >= 0 ? track + 1 : kFirstStream - track; }

std::string name_of_track(std::int64_t track) {
  if (track == kTraceCompute) return "device";
  if (track == kTraceCopies) return "device, copies";
  return track == kTraceTrainer ? "trainer"
                                : fmt::format("worker {}", track - trace_track_of_worker(0));
}

// Exact: a double would round, and a reader adds spans up.
std::string microseconds(std::int64_t ns) { return fmt::format("{}.{:03}", ns / 1000, ns % 1000); }

std::string quoted(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string named(std::string_view what, std::int64_t thread, std::string_view name) {
  return fmt::format(R"({{"ph":"M","name":"{}","pid":{},"tid":{},"args":{{"name":{}}}}})", what,
                     kProcess, thread, quoted(name));
}

std::string line_of(const TraceEvent& e) {
  const std::string_view name = name_of_trace_kind(e.kind).value_or("");
  if (e.kind == kTraceDepth)
    return fmt::format(R"({{"ph":"C","name":"{}","pid":{},"ts":{},"args":{{"batches":{}}}}})", name,
                       kProcess, microseconds(e.begin_ns), e.value);
  const bool is_stage = e.kind < static_cast<std::int64_t>(kStages);
  return fmt::format(R"({{"ph":"X","name":"{}","cat":"{}","pid":{},"tid":{},"ts":{},"dur":{}}})",
                     name, is_stage ? "stage" : "work", kProcess, thread_of(e.track),
                     microseconds(e.begin_ns), microseconds(e.value));
}

// Nothing before the window's begin.
std::vector<TraceEvent> within_window(std::vector<TraceEvent> events) {
  for (TraceEvent& e : events) {
    if (e.kind != kTraceDepth) e.value += std::min<std::int64_t>(e.begin_ns, 0);
    e.begin_ns = std::max<std::int64_t>(e.begin_ns, 0);
  }
  std::erase_if(events, [](const TraceEvent& e) { return e.kind != kTraceDepth && e.value <= 0; });
  return events;
}

}  // namespace

std::string trace_json(std::span<const std::int64_t> series, std::string_view title) {
  const std::vector<TraceEvent> events = within_window(trace_events(series));
  std::set<std::int64_t> threads;
  for (const TraceEvent& e : events)
    if (e.kind != kTraceDepth) threads.insert(e.track);
  std::string json = "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n";
  json += named("process_name", 0, title);
  for (const std::int64_t track : threads) {
    json += ",\n" + named("thread_name", thread_of(track), name_of_track(track));
    json += fmt::format(
        ",\n"
        R"({{"ph":"M","name":"thread_sort_index","pid":{},"tid":{},"args":{{"sort_index":{}}}}})",
        kProcess, thread_of(track), thread_of(track) - 1);
  }
  for (const TraceEvent& e : events) json += ",\n" + line_of(e);
  return json + "\n]}\n";
}

}  // namespace benchbench
