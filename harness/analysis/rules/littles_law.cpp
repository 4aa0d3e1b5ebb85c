#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/analysis/rules/checks.h"

namespace benchbench::rules {
// The depth added up over time, from the queue's own readings, is the stays added up, from the
// batches' stamps: both are the same area. A batch lost, got twice or overtaken unseen makes them
// differ. Two readings of one event are apart by as long as the thread had no core between them.
std::optional<Firing> littles_law(const TrialRecord& record) {
  const QueueFacts& q = record.facts.queue;
  if (q.batches == 0 || q.seen_ns <= 0) return std::nullopt;
  const double off = static_cast<double>(q.depth_ns - q.stay_ns);
  const double whole = static_cast<double>(std::max(q.seen_ns, q.depth_ns));
  const Facts& f = record.facts;
  const double window_ns = static_cast<double>(f.window.ns);
  const double without_core =
      window_ns > 0 ? 1e9 * f.cpu.run_delay_most_s.value_or(0) / window_ns : 0;
  const double limit = kIdentityLimit * whole + without_core * static_cast<double>(q.seen_ns);
  if (std::abs(off) <= limit) return std::nullopt;
  return Firing{
      false, fmt::format("the queue's depth over time and the batches' stays differ by {:+.1f} % "
                         "(Little's law, limit {:.1f} %)",
                         100 * off / whole, 100 * limit / whole)};
}

}  // namespace benchbench::rules
