#include <fmt/format.h>

#include "harness/analysis/rates/host_timeline.h"
#include "harness/analysis/rates/window_rates.h"
#include "harness/analysis/rules/checks.h"

namespace benchbench::rules {
namespace {

std::string more(double times) {
  return times < 2 ? fmt::format("{:.2f} % more than", 100 * (times - 1))
                   : fmt::format("{:.3g} times", times);
}

double sum_of(const LoopTimes& l) {
  double sum = 0;  // not of integers, which would overflow
  for (const std::int64_t ns :
       {l.get_ns, l.core_wait_ns.value_or(0), l.accounting_ns, l.step_ns, l.after_ns, l.report_ns})
    sum += static_cast<double>(ns);
  return sum;
}

// What the trainer's thread did, against the window's own clock. Where one term ends the next
// begins, at the same reading of the clock: reading it costs the terms nothing, however short the
// steps.
std::optional<Firing> loop(const TrialRecord& record) {
  const Facts& f = record.facts;
  const double sum = sum_of(f.window.loop), window = window_ns(f);
  // This is observer level 0, or a record from before it was kept.
  if (f.window.loop.step_ns <= 0) return std::nullopt;
  const double off = sum - window;
  if (off > kIdentityLimit * window)
    return invalid(fmt::format(
        "the times of the trainer's thread add up to {} the window: something is billed twice",
        more(sum / window)));
  if (-off > kIdentityLimit * window)
    return doubt(
        fmt::format("{:.2f} % of the trainer's thread's time is unaccounted for (limit 0.5 %)",
                    -100 * off / window));
  return std::nullopt;
}

// The waits for batches, one by one.
std::optional<Firing> waits(const TrialRecord& record) {
  const Distribution& waits = record.facts.window.get_blocked;
  const double times = waits.mean * static_cast<double>(waits.n) / window_ns(record.facts);
  if (!(times > 1 + kIdentityLimit)) return std::nullopt;
  return invalid(fmt::format("the waits for batches add up to {} the window", more(times)));
}

}  // namespace

std::optional<Firing> host_identity(const TrialRecord& record) {
  if (record.facts.window.ns <= 0) return std::nullopt;  // R18's
  if (auto fired = loop(record)) return fired;
  if (auto fired = waits(record)) return fired;
  const HostTimeline line = host_timeline(record.facts);
  if (line.residual_share >= -kIdentityLimit) return std::nullopt;
  return invalid(
      fmt::format("the stages of the steps add up to {} the window: something is billed twice",
                  more(1 - line.residual_share)));
}

}  // namespace benchbench::rules
