#include <fmt/format.h>

#include <cmath>

#include "harness/analysis/rates/window_rates.h"
#include "harness/analysis/rules/checks.h"

namespace benchbench::rules {
namespace {

// Of doubles: integers would overflow.
double worker_sum(std::int64_t fill, std::int64_t slot_wait, std::int64_t queue) {
  return static_cast<double>(fill) + static_cast<double>(slot_wait) + static_cast<double>(queue);
}

// All workers together, as records hold it that know no single ones.
std::optional<Firing> together(const Facts& f) {
  if (f.workers.count == 0 || f.workers.wall_ns <= 0) return std::nullopt;
  const double wall = static_cast<double>(f.workers.wall_ns);
  const double sum = worker_sum(f.workers.fill_ns, f.workers.slot_wait_ns, f.workers.queue_ns);
  const double off = sum / wall - 1;
  if (std::abs(off) <= kIdentityLimit) return std::nullopt;
  return doubt(
      fmt::format("filling, waiting and hand-over differ from the workers' wall "
                  "time by {:+.1f} % (limit 0.5 %)",
                  100 * off));
}

}  // namespace

// busy + starved + blocked = wall, for every worker by itself: what one loses another cannot make
// up for. The terms share their readings of the clock, so reading it takes nothing from them.
std::optional<Firing> worker_identity(const TrialRecord& record) {
  const Facts& f = record.facts;
  if (f.window.ns <= 0) return std::nullopt;
  const double window = window_ns(f);
  for (std::size_t i = 0; i < f.workers.each.size(); ++i) {
    const WorkerTimes& w = f.workers.each[i];
    const double off = worker_sum(w.fill_ns, w.slot_wait_ns, w.queue_ns) - window;
    if (std::abs(off) <= kIdentityLimit * window) continue;
    return doubt(
        fmt::format("filling, waiting and hand-over of worker {} differ from its wall time "
                    "by {:+.2f} % (limit 0.5 %)",
                    i, 100 * off / window));
  }
  return together(f);
}

}  // namespace benchbench::rules
