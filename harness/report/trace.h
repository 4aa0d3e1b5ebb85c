// The events of a window for a trace viewer.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace benchbench {

// Chrome's trace event format, which Perfetto (ui.perfetto.dev) and chrome://tracing open: one
// track per worker, one for the trainer's thread, the depth of the queue as a counter; times in
// microseconds from the window's begin, where spans that began before it are cut (Perfetto drops
// what lies before 0). `events` is the raw series "trace" of a record
// (harness/record/trace_events.h), `title` names the process. Always valid JSON, also of no events.
// Throws StoreError where the series is no trace.
std::string trace_json(std::span<const std::int64_t> events, std::string_view title);

}  // namespace benchbench
