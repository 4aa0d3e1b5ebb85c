#include <fmt/format.h>

#include <span>
#include <vector>

#include "harness/analysis/rules/checks.h"
#include "harness/record/measure_limits.h"
#include "harness/record/resolved_settings.h"
#include "harness/record/setting_keys.h"

namespace benchbench::rules {
namespace {

const WindowClass& class_of(const Trial& trial) {
  return window_class(trial.settings.get_if(keys::measure.window_class).value_or(""));
}

// A part of a burst is counted for nothing, or its time is.
std::optional<Firing> cut_burst(const WindowFacts& window) {
  if (window.burst < 2) return std::nullopt;
  if (window.steps % window.burst == 0 && window.steps >= kLeastBursts * window.burst)
    return std::nullopt;
  return invalid(
      fmt::format("{} batches in the window; {} arrive at a time, of which it "
                  "needs whole multiples, {} or more",
                  window.steps, window.burst, kLeastBursts));
}

// Returns the fewest batches of which a window would hold whole bursts and whole periods of these
// steps; nullopt where no window may ask for them, or they take longer than a trial may.
std::optional<std::uint64_t> batches_that_do(const TrialRecord& record,
                                             std::span<const std::uint64_t> periods) {
  const WindowFacts& window = record.facts.window;
  const Repeat repeat = steps_to_repeat(window.burst, periods, kMostWindowBatches);
  const double step = static_cast<double>(window.ns) / static_cast<double>(window.steps);
  const auto limit = static_cast<double>(timeout_of(record.trial.settings).count());
  if (!repeat.whole || static_cast<double>(repeat.steps) * step > limit) return std::nullopt;
  return repeat.steps;
}

// Reading the loss back costs next to nothing, and no window is too short for it.
std::optional<Firing> lacks_period(const TrialRecord& record) {
  const WindowFacts& window = record.facts.window;
  std::vector<std::uint64_t> periods;  // up to the one that is lacking: those are held first
  for (const Period& period : periods_in(record.trial.settings, record.facts.simulated)) {
    periods.push_back(period.steps);
    if (window.steps >= period.steps || period.key == keys::trainer.log_every) continue;
    const auto batches = batches_that_do(record, periods);
    const std::string advice =
        batches ? fmt::format("; set measure.window_batches to {}", *batches) : "";
    return doubt(fmt::format("{} in the window, and {} is {}: it holds one such step or none{}",
                             counted(window.steps, "batch"), period.key, period.steps, advice));
  }
  return std::nullopt;
}

}  // namespace

// Under the simulated clock the window is virtual time, and the same holds: 100 batches are 100
// batches.
std::optional<Firing> duration(const TrialRecord& record) {
  const WindowClass& least = class_of(record.trial);
  const Nanoseconds window{record.facts.window.ns};
  if (window < least.window)
    return invalid(fmt::format("a window of {:.3g} s; class {} needs {:g} s", to_seconds(window),
                               least.name, to_seconds(least.window)));
  if (record.facts.window.steps < static_cast<std::uint64_t>(least.batches))
    return invalid(fmt::format("{} batches in the window; class {} needs {}",
                               record.facts.window.steps, least.name, least.batches));
  if (auto cut = cut_burst(record.facts.window)) return cut;
  return lacks_period(record);
}

}  // namespace benchbench::rules
