#include <fmt/format.h>

#include "harness/analysis/rules/checks.h"
#include "harness/record/measure_limits.h"
#include "harness/record/resolved_settings.h"

namespace benchbench::rules {
namespace {

const WindowClass& class_of(const Trial& trial) {
  const Value* value = trial.settings.find("measure.class");
  return window_class(value ? value->text() : "");
}

// A part of a burst is counted for nothing, or its time is.
std::optional<Firing> cut_burst(const WindowFacts& window) {
  if (window.burst < 2) return std::nullopt;
  if (window.steps % window.burst == 0 && window.steps >= kLeastBursts * window.burst)
    return std::nullopt;
  return Firing{true, fmt::format("{} batches in the window; {} arrive at a time, of which it "
                                  "needs whole multiples, {} or more",
                                  window.steps, window.burst, kLeastBursts)};
}

// What comes every so many steps was in the window at most once, and may not have been in it at
// all.
std::optional<Firing> lacks_period(const TrialRecord& record) {
  const WindowFacts& window = record.facts.window;
  for (const Period& period : periods_in(record.trial.settings, record.facts.simulated))
    if (window.steps < period.steps)
      return Firing{false, fmt::format("{} in the window, and {} is {}: the window does not show "
                                       "what that takes; set measure.window_batches to {}",
                                       counted(window.steps, "batch"), period.key, period.steps,
                                       period.steps)};
  return std::nullopt;
}

}  // namespace

// Under the simulated clock the window is virtual time, and the same holds: 100 batches are 100
// batches.
std::optional<Firing> duration(const TrialRecord& record) {
  const WindowClass& least = class_of(record.trial);
  const Nanoseconds window{record.facts.window.ns};
  if (window < least.window)
    return Firing{true, fmt::format("a window of {:.3g} s; class {} needs {:g} s",
                                    to_seconds(window), least.name, to_seconds(least.window))};
  if (record.facts.window.steps < static_cast<std::uint64_t>(least.batches))
    return Firing{true, fmt::format("{} batches in the window; class {} needs {}",
                                    record.facts.window.steps, least.name, least.batches)};
  if (auto cut = cut_burst(record.facts.window)) return cut;
  return lacks_period(record);
}

}  // namespace benchbench::rules
