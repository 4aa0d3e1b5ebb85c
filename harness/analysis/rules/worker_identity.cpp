#include <fmt/format.h>

#include <cmath>

#include "harness/analysis/rules/checks.h"

namespace benchbench::rules {

std::optional<Firing> worker_identity(const TrialRecord& record) {
  const Facts& f = record.facts;
  if (f.workers == 0 || f.worker_wall_ns <= 0) return std::nullopt;
  const double wall = static_cast<double>(f.worker_wall_ns);
  const double sum = static_cast<double>(f.worker_fill_ns + f.worker_slot_wait_ns + f.worker_queue_ns);
  const double off = sum / wall - 1;
  if (std::abs(off) <= 0.005) return std::nullopt;
  return Firing{
      false,
      fmt::format("filling, waiting and handing over are {:+.1f} % off the workers' wall time, over 0.5 %",
                  100 * off)};
}

}  // namespace benchbench::rules
