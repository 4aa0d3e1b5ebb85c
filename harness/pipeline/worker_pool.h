// The loader's worker threads.
#pragma once
#include <memory>
#include <vector>

#include "harness/pipeline/filler.h"

namespace benchbench {

// Starts `workers` threads that fill requests until the scheduler closes. What a loader throws
// closes queue and scheduler with that cause: the worker that threw is dead, the others end after
// the fill they are in. The workshop must outlive it.
class WorkerPool {
 public:
  WorkerPool(const Workshop& shop, std::uint32_t workers, const MeterOptions& options);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  void start();
  // Closes the scheduler and returns when every worker has ended. A fill under way is finished
  // first; a loader that hangs in one is ended by the supervisor. Idempotent.
  void stop();

  std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(workers_.size()); }
  // Sums over the workers, up to now; any thread.
  WorkerTimes times(TimePoint now) const noexcept;
  std::vector<WorkerTimes> each_times(TimePoint now) const;
  MeterTotals totals() const noexcept;
  Nanoseconds cpu_time() const;
  void keep_values(bool keep) noexcept;
  void trace(TraceRecorder& recorder) noexcept;  // before start()
  void trace_unfinished(TraceRecorder& recorder, TimePoint now) const noexcept;
  const ThreadMeter& meter(std::uint32_t worker) const noexcept;

 private:
  class Worker;
  const Workshop& shop_;
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace benchbench
