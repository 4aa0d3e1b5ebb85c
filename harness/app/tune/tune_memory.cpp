#include "harness/app/tune/tune_memory.h"

#include <algorithm>

#include "harness/analysis/rates/window_rates.h"

namespace benchbench {
namespace {

constexpr double kSeen = 2 << 20;  // bytes a worker: less comes and goes in any window

}  // namespace

double growth_until(const Facts& facts, double job_seconds) {
  if (!facts.external || !facts.external->memory || !facts.external->memory->shared) return 0;
  const ExternalMemory& m = *facts.external->memory;
  const double workers = facts.workers.count, growth = static_cast<double>(m.pss_growth);
  if (workers == 0 || m.samples == 0 || growth < kSeen * workers) return 0;
  const double paced = growth / static_cast<double>(m.samples) * job_seconds * rate_of(facts);
  return std::min(paced, static_cast<double>(*m.shared));
}

std::optional<double> memory_needed(const Facts& facts, std::optional<double> job_seconds) {
  if (!facts.peak_memory_bytes) return std::nullopt;
  return static_cast<double>(*facts.peak_memory_bytes) +
         (job_seconds ? growth_until(facts, *job_seconds) : 0);
}

}  // namespace benchbench
