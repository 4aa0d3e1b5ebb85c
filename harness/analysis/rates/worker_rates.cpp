#include "harness/analysis/rates/worker_rates.h"

#include <algorithm>
#include <cmath>

#include "harness/analysis/rates/certainty.h"
#include "harness/analysis/statistics/thresholds.h"

namespace benchbench {
namespace {

bool is_uneven(const BatchTimes& b) {
  return b.workers > 1 && b.largest_share * b.workers > kUnevenWorkers;
}

// A worker that has most of the data keeps them: their division over more workers is not known.
double share_of_one(const BatchTimes& b, std::uint32_t workers) {
  return is_uneven(b) ? b.largest_share : 1.0 / workers;
}

// Without workers a batch is not handed over yet.
BatchTimes with_hand_over(BatchTimes b, std::uint32_t workers) {
  if (b.workers > 0 || workers == 0) return b;
  b.main_ms += kReceivingMs;
  b.worker_ms += kSendingMs;
  b.cpu_ms += kReceivingMs + kSendingMs;
  return b;
}

double cores_ms(const BatchTimes& b) { return b.cores > 0 ? b.cpu_ms / b.cores : INFINITY; }

bool are_enough(double cores, const BatchTimes& b) {
  return b.step_ms > 0 && cores > kFreeCores * b.cpu_ms / b.step_ms;
}

// True if cores are missing that other programs keep busy.
bool do_others_take_cores(const BatchTimes& b) {
  return b.all_cores - b.cores > kBusyCores && are_enough(b.all_cores, b);
}

// One alone that makes most of the batches is to be as busy as all are where they are even.
bool are_busy(const BatchTimes& b) {
  const double taken = (b.worker_ms + b.worker_wait_ms) * share_of_one(b, std::max(1u, b.workers));
  return b.workers == 0 || taken >= kTimedShare * b.step_ms;
}

bool is_main_busy(const BatchTimes& b) { return b.main_ms >= kTimedShare * b.step_ms; }

std::uint32_t workers_to_try(const BatchTimes& b) {
  const double rest = std::max(b.main_ms, cores_ms(b));
  const double most = std::max(1.0, 2.0 * b.workers),
               needed = rest > 0 ? std::ceil(b.worker_ms / rest) : most;
  return static_cast<std::uint32_t>(std::clamp(needed, b.workers + 1.0, most));
}

}  // namespace

double foretold_step_ms(const BatchTimes& seen, std::uint32_t workers) {
  const BatchTimes b = with_hand_over(seen, workers);
  if (workers == 0) return std::max(b.main_ms + b.worker_ms, cores_ms(b));
  return std::max({b.main_ms, b.worker_ms * share_of_one(b, workers), cores_ms(b)});
}

WorkersForetold foretell_workers(const BatchTimes& b) {
  const double now = foretold_step_ms(b, b.workers), cores = cores_ms(b);
  if (!are_enough(b.cores, b))
    return {.limit = do_others_take_cores(b) ? WorkersLimit::others : WorkersLimit::cores};
  if (!are_busy(b) && !is_main_busy(b)) return {.limit = WorkersLimit::unseen};
  if (b.workers > 0 && b.main_ms >= now) return {.limit = WorkersLimit::main};
  if (!are_busy(b)) return {.limit = WorkersLimit::unseen};
  if (cores >= now) return {.limit = WorkersLimit::cores};
  if (is_uneven(b)) return {.limit = WorkersLimit::one_worker};
  const std::uint32_t more = workers_to_try(b);
  const double times = now / foretold_step_ms(b, more);
  if (times >= kWorthAWorker) return {WorkersLimit::workers, more, times};
  return {.limit = b.main_ms >= cores ? WorkersLimit::main : WorkersLimit::cores};
}

}  // namespace benchbench
