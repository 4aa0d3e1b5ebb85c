// The supply of batches as the trainer sees it: get one after the other, for ever.
#pragma once
#include <memory>
#include <optional>

#include "harness/pipeline/interruption.h"
#include "harness/pipeline/source_supply.h"
#include "harness/pipeline/worker_pool.h"

namespace benchbench {

struct SupplyOptions {
  std::uint32_t num_workers = 0;
  std::uint32_t batch_size = 1;
  std::uint32_t max_jobs = 2;
  bool in_order = true;
  bool drop_last = true;
  Dispatch dispatch = Dispatch::shared;
  WorkUnit work_unit = WorkUnit::batch;
  std::uint64_t seed = 0;           // of the samples: SampleRef
  std::uint32_t trainer_holds = 0;  // Trainer::holds()
  Memory memory = Memory::host;
  MeterOptions meters;
};

// As the settings have them; the rest is the round's, the trainer's and the meters' own.
SupplyOptions supply_options(const LoaderSettings& settings, std::uint64_t seed,
                             std::uint32_t trainer_holds, const MeterOptions& meters);

// Owns the slots, the requests, the queue and the workers of a trial. With num_workers 0 the same
// requests and slots are filled in the thread that calls get(), one at a time. Of a loader with
// workers of its own there are only the requests, and what its queue and workers do is not
// measured. One thread uses it. Loader, sampler, device and runtime must outlive it, and every
// lease must be dropped before its end.
class Supply {
 public:
  Supply(const SupplyOptions& options, Loader& loader, Sampler& sampler, Device& device,
         Runtime& runtime);
  ~Supply();

  // Issues the first requests and starts the workers.
  void start();
  // The next batch. Throws what a worker died of, and what `interruption` asks for.
  BatchLease get(const Interruption& interruption);
  // Ends the workers, never inside a catch. Idempotent. Counts and meters stay readable.
  void stop();

  // The loader has workers, a queue and memory of its own.
  bool foreign() const noexcept { return source_ != nullptr; }
  const EpochStream& stream() const noexcept { return stream_; }
  const SlotRing& slots() const noexcept { return slots_; }
  // A batch was begun and not finished: a worker died in it, or those who shared its rows were
  // stopped. Only after stop().
  bool half_filled() const noexcept;
  // The samples of each batch that is filled and was not got. Only after stop().
  template <class Take>
  void for_each_ready(Take take) const {
    slots_.for_each(SlotState::ready, [&](const RingSlot& slot) { take(slot.ids); });
  }
  RequestCounts counts() { return source_ ? source_->counts() : scheduler_.counts(); }
  // Samples issued and neither got nor dropped, counted from the slots. Only after stop().
  Samples in_flight() const;
  // Of all workers up to now; with num_workers 0, `fill_ns` alone, which lies within the trainer's
  // get(). Of a loader's own workers `batches` alone.
  WorkerTimes times(TimePoint now) const noexcept;
  // Of each worker; none with num_workers 0 or where they are the loader's own.
  std::vector<WorkerTimes> each_times(TimePoint now) const { return pool_.each_times(now); }
  MeterTotals totals() const noexcept;
  // CPU time of the workers; with num_workers 0 none, since it is the trainer's thread that works;
  // none where the loader does not know that of its own.
  std::optional<Nanoseconds> cpu_time() const;
  void keep_values(bool keep) noexcept;
  // What workers and queue do goes to the recorder too, which outlives it. With num_workers 0 a
  // fill is the trainer's. Before start().
  void trace(TraceRecorder& recorder) noexcept;
  // What each worker is in the middle of. After the recorder's stop().
  void trace_unfinished(TraceRecorder& recorder, TimePoint now) const noexcept {
    pool_.trace_unfinished(recorder, now);
  }
  // Nobody reads: every batch issued is filled, or with num_workers 0 waits for the next get().
  // Also true once a worker has died, which the next get() tells.
  bool all_filled();
  // The queue from its start up to now, nothing at observer level 0. Only after stop().
  QueueFacts queue_facts() const noexcept;
  // Meters, one a worker (one too with num_workers 0). Only after stop().
  std::uint32_t meters() const noexcept {
    return source_ ? source_->meters() : inline_ ? 1 : pool_.size();
  }
  const ThreadMeter& meter(std::uint32_t worker) const noexcept;

 private:
  struct Inline;  // what fills in the trainer's thread

  Runtime& runtime_;
  EpochStream stream_;
  std::unique_ptr<SourceSupply> source_;  // null: the harness's own workers
  SlotRing slots_;
  BatchScheduler scheduler_;
  BatchQueue queue_;
  Workshop shop_;
  WorkerPool pool_;
  std::unique_ptr<Inline> inline_;
  Nanoseconds stay_{0};  // in the queue, of the batches got, by their stamps
};

}  // namespace benchbench
