// What is known of a loader in a process of its own, such as the user's Python, and what is wrong
// with it. Values; report/ makes the words.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/analysis/external/job_time.h"
#include "harness/analysis/rates/host_timeline.h"
#include "harness/analysis/rates/worker_rates.h"
#include "harness/analysis/statistics/estimate.h"
#include "harness/analysis/statistics/thresholds.h"
#include "harness/core/contains.h"
#include "harness/core/words.h"
#include "harness/part/external_facts.h"
#include "harness/record/trial.h"

namespace benchbench {

enum class ExternalFault : std::uint8_t {
  idle_workers,
  copy_on_write,
  epoch_startup,
  epoch_gap,
  threads,
  cpu_limit,
  in_memory,
  same_draws,
  uneven,
  snapshots,
  fork_beside_threads,
  workers_stay,
  on_device,
  host_copies,
  pin_thread,
  outside_steps,
  iterator_each_step,
  without_fetch,
  lock_at_fork
};
// The ids of findings in reports for programs: they stay as they are.
template <>
inline constexpr auto kWordsOf<ExternalFault> = std::to_array<std::string_view>(
    {"workers without data", "copy-on-write", "start-up each epoch", "epoch gap",
     "oversubscribed threads", "CPU limit misread", "tensors in memory", "same augmentation",
     "uneven samples", "snapshots each batch", "fork after threads", "workers that stay",
     "device tensors in workers", "device values read", "pinning held up", "time outside the steps",
     "iterator each step", "batches without a fetch", "lock held at fork"});

// A fault of one point's loader. Named only where its cost is clear of 0 over the rounds and
// reaches its limit: kWorth of the step, kFaultBytes a worker and kFaultBytesInAll, or any
// repeated draw.
//
// Costs, a step; "the wait" is what the window waited for batches, which is all of it where batches
// are dropped. A fault of the loader costs at most the wait: what the trainer never waited for, a
// faster loader does not give back.
//
//   idle_workers   step x (1 - active / W): batches come W / active times as fast where all workers
//                  make them. At most the wait; at most what the CPU time of a step leaves free of
//                  the cores; of a pipeline at most the loader's cost of verdict.h. Not where an
//                  epoch has fewer batches than workers: those that exist are all made at once
//                  anyhow.
//   epoch_startup  the start of an epoch's workers / batches an epoch: with persistent_workers it
//                  is paid once. It is ending the last ones, starting these, worker_init_fn, and
//                  what a first fetch takes beyond an ordinary one. Where hooks did not see that,
//                  iter(); where no epoch ended in the window, the first one's start.
//   epoch_gap      (gap - start-up of workers) / batches an epoch: the workers' first batches,
//                  which nothing prefetches, and what begins an epoch for workers that stay too:
//                  the sampler's work, or __iter__. Both from kFairPart on: of the epoch,
//                  what begins it in all.
//   threads        of workers that compute with several threads each, kPoolThreads: the wait of
//                  their main threads for a core / W, at most the wait for batches, plus the main
//                  process's. W workers make W batches at once, so a step bears a W-th of what they
//                  wait together. It says what waits cost, not what all threads together could do
//                  with more cores.
//                  of a step's threads, where the workers' have one each: what the step takes
//                  beyond T's time x threads / those that the workers leave a core each, which is
//                  the most that so few take. At most its main thread's wait for a core. Only on
//                  the CPU, and where other programs kept no more than kBusyCores cores busy. Only
//                  where it costs something with T as long as its rounds may have missed, too.
//   cpu_limit      the same; of a cgroup that was throttled at least the throttled time over the
//                  CPUs it ran on.
//   in_memory      the wait - direct_ns, what indexing makes the same batch in.
//   uneven         batches of the times that workers took, delivered in order and as they are
//                  ready: the difference. At most the wait, and what the CPU time of a step leaves
//                  free of the cores, less a W-th of the workers' waits for a core. From
//                  kFairPart on. Only where what is delivered in order comes out as the step
//                  that was measured, within kForetold of it, and other programs kept no more than
//                  kBusyCores cores busy.
//   copy_on_write  bytes: growth of private pages that is not growth of resident ones, which were
//                  shared before. By the end of an epoch at that pace: x samples an epoch / samples
//                  delivered meanwhile, at most that and what is still shared. A million small
//                  objects in a list: 61 MiB within 9,000 samples, and that pace would be 6.6 GiB
//                  an epoch where there were 474 MiB left to copy. Workers that are forked share
//                  pages; others have none to copy. Over two windows at least, or from look to look
//                  within one, by kSteadyCopies.
//   snapshots      what the data set takes to tell its state, once a batch / W: at most the wait.
//   workers_stay   bytes: what workers of a loader that feeds no step hold meanwhile, from
//                  kStayShare of the memory on. Only where starting them again for each pass would
//                  cost the job less than kWorth: at most all that iter() and first batches of
//                  all passes took, for each pass.
//   fork_beside_threads, on_device   no time: what they may lead to.
//   host_copies    what the step took in calls that read values of a device, as .item(): they wait
//                  for what the device has to do. At most the rest of the step, since that and the
//                  device's work could be at the same time.
//   pin_thread     what the thread that pins batches waited with one, beyond what it does with the
//                  loader alone, where no loop keeps Python's lock; without its wait for a core. At
//                  most the wait; less where workers, not this thread, are behind.
//   outside_steps  what the job's time has outside of its training steps, but for the beginnings of
//                  the training's own epochs, which are epoch_startup's and epoch_gap's, and for
//                  what came once alone in a part of the job. From kOutsideShare of the job's time
//                  on. A batch / its step with all that is outside.
//   iterator_each_step   iter(), the first batch and the end of the workers of an iterator, over
//   its
//                  batches, which are one or two. Without workers the first batch is one like any
//                  other. At most the step. A kept iterator may wait for a part of it all the same.
//   without_fetch  no time: from the loader's end on no step has a batch of it, which is a share of
//                  1. bytes: of the batches that it keeps.
//   lock_at_fork   no time: the script hung at it.
//   same_draws     no time: of W workers that draw alike, a W-th of the draws differ.
struct ExternalFinding {
  ExternalFault fault = ExternalFault::idle_workers;
  std::uint32_t point = 0;
  Mode mode = Mode::loader;  // whose windows it was seen in
  Measured ms;               // a step; nullopt of memory and draws
  Measured step_ms;          // of the same windows
  Measured bytes;            // of memory: so far, over a window
  Measured bytes_an_epoch;   // of memory, at this pace; nullopt: an epoch's length is not known
  // Memory alone: `bytes_an_epoch` is all that there is to copy, which this pace exceeds.
  bool all_copied = false;
  double share = 0;   // of the step, of the machine's memory, of the draws: what is ranked by
  std::string where;  // "train.py:31"; empty: not known
  std::uint32_t workers = 0;  // W
  std::uint32_t idle = 0;     // of idle_workers: how many had no data
  bool first_epoch = false;   // of epoch_startup: the first epoch's stands for a later one's
  bool persistent = false;    // of epoch_gap: the workers stay
  bool in_iter = false;       // of epoch_gap: most of it is in iter(), which starts no workers
  // For epoch_startup "forkserver" or "spawn", which import what they need each time; empty for
  // fork, or where it is not known.
  std::string started_by;
  bool default_start = false;  // and this Python has it as its default
  bool forked = false;  // of epoch_gap: workers that start need no interpreter of their own first
  double batches_an_epoch = 0;
  double cores = 0;  // available: affinity and quota
  // Threads that run or wait for a core, and of them those of workers, means; 0: not known.
  double runnable = 0, runnable_workers = 0;
  bool of_step = false;  // of threads: the step's, not the workers'
  std::uint32_t cpu_count = 0, threads = 0;
  double throttled_ms = 0;  // a step
  double direct_ms = 0;
  bool can_be_any_order = false;         // of uneven: this torch knows in_order
  double slowest_ms = 0, median_ms = 0;  // of uneven: of a batch, in a worker
  std::vector<ExternalSameDraws> draws;
  // Names of what was noticed: of threads, of a loader, of a class, of a device, of a method.
  std::string what;
  std::optional<JobTime> job;  // of outside_steps
  // Threads, calls a step, iterators, or steps.
  std::uint32_t count = 0;
  std::vector<std::pair<std::string, std::int64_t>> numbers;  // by name, as they were noticed

  std::int64_t number(std::string_view name) const noexcept {
    for (const auto& [known, value] : numbers)
      if (known == name) return value;
    return 0;
  }
};

// What was seen of one point's loader, means over its usable rounds. Times in ms; nullopt: not
// measured.
struct ExternalPoint {
  std::uint32_t point = 0;
  Mode mode = Mode::loader;  // the pipeline where it has the loader, else the loader alone
  std::uint32_t rounds = 0;
  ExternalFacts facts;  // of the last usable round: what does not change
  std::uint32_t workers = 0;
  double cores = 0;
  std::optional<double> spawn_ms, import_ms, call_ms, workers_start_ms, first_batch_ms,
      epoch_gap_ms, epoch_start_ms;
  // Times of a batch, of all workers together.
  std::optional<double> getitem_ms, collate_ms, handover_ms, pin_ms;
  std::optional<double> hooks_ms;  // a batch
  // Times of a step.
  std::optional<double> core_wait_loader_ms, core_wait_main_ms, direct_ms;
  std::optional<double> runnable_mean, runnable_max, runnable_workers;
  std::optional<double> memory_bytes, growth_per_sample_bytes;  // PSS of all workers
  // The time of a batch in each thread; nullopt where one of its members was not measured.
  std::optional<BatchTimes> batch;
  // Other loaders that feed the same steps, with the ms that a step waits for each.
  NamedTimes partners;
  std::optional<JobTime> job;  // of a wrapped script as it is
};

// How trials used the other process, by Mode; empty where none did.
using ExternalWays = std::array<std::vector<ExternalWay>, 3>;

struct ExternalFindings {
  ExternalWays ways;
  std::vector<ExternalPoint> points;      // those whose loader is over there, in their order
  std::vector<ExternalFinding> findings;  // by point, then what costs most first
  // What `loader.use` and `trainer.use` are called where they are over there.
  std::vector<std::string> loaders, trainers;
  std::optional<ExternalFacts> any;  // of some usable trial, whichever side was over there

  const ExternalPoint* at(std::uint32_t point) const noexcept {
    return find_element(points, point, &ExternalPoint::point);
  }
};

}  // namespace benchbench
