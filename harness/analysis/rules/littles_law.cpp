#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/analysis/rules/checks.h"

namespace benchbench::rules {
// The depth added up over time is the stays added up, from the stamps on the batches: both are the
// same area. A batch lost, got twice or overtaken unseen makes them differ. Each event has one
// reading of the clock in both, so that no thread's wait for a core excuses a difference.
std::optional<Firing> littles_law(const TrialRecord& record) {
  const QueueFacts& q = record.facts.queue;
  if (q.batches == 0 || q.seen_ns <= 0) return std::nullopt;
  const double off = static_cast<double>(q.depth_ns - q.stay_ns);
  const double whole = static_cast<double>(std::max(q.seen_ns, q.depth_ns));
  if (std::abs(off) <= kIdentityLimit * whole) return std::nullopt;
  return doubt(
      fmt::format("the queue's depth over time and the batches' stays differ by {:+.1f} % "
                  "(Little's law, limit {:.1f} %)",
                  100 * off / whole, 100 * kIdentityLimit));
}

}  // namespace benchbench::rules
