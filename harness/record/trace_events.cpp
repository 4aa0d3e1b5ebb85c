#include "harness/record/trace_events.h"

#include <fmt/format.h>

#include <utility>

#include "harness/core/contains.h"
#include "harness/core/error.h"

namespace benchbench {
namespace {

using Named = std::pair<std::int64_t, std::string_view>;
constexpr Named kNames[] = {{kTraceFill, "fill"},         {kTraceStep, "step"},
                            {kTraceAfter, "after"},       {kTraceDepth, "queue depth"},
                            {kTraceCopy, "copy"},         {kTraceWork, "step on the device"},
                            {kTraceCoreWait, "core_wait"}};

}  // namespace

std::optional<std::string_view> name_of_trace_kind(std::int64_t kind) noexcept {
  if (kind >= 0 && kind < static_cast<std::int64_t>(kStages))
    return name_of(static_cast<Stage>(kind));
  const auto* const named = find_element(kNames, kind, &Named::first);
  return named ? std::optional(named->second) : std::nullopt;
}

std::vector<std::int64_t> trace_series(std::span<const TraceEvent> events) {
  std::vector<std::int64_t> series;
  series.reserve(4 * events.size());
  for (const TraceEvent& e : events)
    series.insert(series.end(), {e.track, e.kind, e.begin_ns, e.value});
  return series;
}

std::vector<TraceEvent> trace_events(std::span<const std::int64_t> series) {
  if (series.size() % 4 != 0)
    throw StoreError(fmt::format("a trace cannot have {} values: an event has four", series.size()),
                     "the series was thinned or truncated; run the trial again with measure.trace");
  std::vector<TraceEvent> events;
  events.reserve(series.size() / 4);
  for (std::size_t i = 0; i < series.size(); i += 4) {
    const TraceEvent event{series[i], series[i + 1], series[i + 2], series[i + 3]};
    if (!name_of_trace_kind(event.kind))
      throw StoreError(
          fmt::format("event {} of the trace has kind {}, which this version does not know", i / 4,
                      event.kind),
          "it was recorded by a newer version, or it is not a trace");
    events.push_back(event);
  }
  return events;
}

}  // namespace benchbench
