#include <fmt/format.h>

#include "harness/analysis/rules/checks.h"
#include "harness/record/measure_limits.h"

namespace benchbench::rules {
namespace {

const WindowClass& class_of(const Trial& trial) {
  const Value* value = trial.settings.find("measure.class");
  return window_class(value ? value->text() : "");
}

}  // namespace

// Under the simulated clock the window is virtual time, and the same holds: 100 batches are 100 batches.
std::optional<Firing> duration(const TrialRecord& record) {
  const WindowClass& min = class_of(record.trial);
  const Nanoseconds window{record.facts.window.ns};
  if (window < min.window)
    return Firing{true, fmt::format("a window of {:.3g} s; class {} needs {:g} s", to_seconds(window),
                                    min.name, to_seconds(min.window))};
  if (record.facts.window.steps < static_cast<std::uint64_t>(min.batches))
    return Firing{true, fmt::format("{} batches in the window; class {} needs {}", record.facts.window.steps,
                                    min.name, min.batches)};
  return std::nullopt;
}

}  // namespace benchbench::rules
