// Foretells a step with more workers, from what a batch takes of each thread. Pure.
#pragma once
#include <array>
#include <cstdint>
#include <string_view>

#include "harness/core/words.h"

namespace benchbench {

// Means over a window, in ms a batch.
struct BatchTimes {
  double step_ms = 0;         // from batch to batch, as measured
  double main_ms = 0;         // the main thread's own: neither waits for a batch nor for a core
  double worker_ms = 0;       // a worker's own for one batch, without waits for a core
  double worker_wait_ms = 0;  // such waits of a worker, for one batch
  double cpu_ms = 0;          // CPU time of all processes
  double cores = 0;           // that may be used, less what other programs keep busy
  double all_cores = 0;       // with those
  std::uint32_t workers = 0;
  double largest_share = 0;  // of all batches, the one that a single worker makes most of
};

// The limit of the rate, as far as workers are concerned.
enum class WorkersLimit : std::uint8_t {
  workers,     // more of them make it faster
  main,        // the main process's thread
  cores,       // none is free
  others,      // other programs keep them busy
  one_worker,  // which makes most of the batches
  unseen,      // workers are idle, or wait for what is not timed
  unknown      // what a batch takes was not measured
};
template <>
inline constexpr auto kWordsOf<WorkersLimit> = std::to_array<std::string_view>(
    {"workers", "main process", "cores", "other programs", "one worker", "not seen", "not known"});

// The least that handing a batch over takes of a CPU, in the worker and in the main process, as of
// batches of two tensors, of 2 and of 800 KB alike.
inline constexpr double kSendingMs = 0.8, kReceivingMs = 0.7;

struct WorkersForetold {
  WorkersLimit limit = WorkersLimit::unknown;
  std::uint32_t workers = 0;  // of WorkersLimit::workers: how many are advised
  double times = 1;           // and how many times as fast a step is at most
};

// Returns the largest of the main thread's time, of w / W (with uneven workers w times the largest
// share) and of CPU time over cores. Without workers the main thread does a worker's part, too;
// with the first of them each batch is handed over, which takes CPU time at both ends.
double foretold_step_ms(const BatchTimes& batch, std::uint32_t workers);

// More workers are advised where those there are take longest of the three and more than 1.2 times
// the cores in use are there: up to twice as many, as many as the other two leave room for, and
// only where a tenth may be gained. Rates of runs with 1 to 4 workers on 2 cores were within 0.9
// and 1.1 of this for six loaders of eight.
WorkersForetold foretell_workers(const BatchTimes& batch);

}  // namespace benchbench
