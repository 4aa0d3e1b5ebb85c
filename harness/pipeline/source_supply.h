// The supply of a loader that has workers, a queue and memory of its own.
#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "harness/core/lock.h"
#include "harness/pipeline/batch_scheduler.h"
#include "harness/pipeline/epoch_stream.h"
#include "harness/pipeline/pinned_room.h"
#include "harness/pipeline/thread_meter.h"

namespace benchbench {

struct SupplyOptions;

// Hands the samples of the stream to a BatchSource in order and leases its batches to the trainer.
// What only the harness's own queue and workers could tell (where their time goes, how deep the
// queue is) is not measured here. Where batches are to be pinned and the loader is in this process,
// each is copied to pinned memory in get(), billed to `pin`. One thread uses it but where said
// otherwise. Loader, stream, device and runtime must outlive it.
class SourceSupply final : private RequestFeed, private SlotOwner {
 public:
  // nullptr where the loader leaves the work to the harness's workers.
  static std::unique_ptr<SourceSupply> of(Loader& loader, EpochStream& stream, Device& device,
                                          Runtime& runtime, const SupplyOptions& options);

  // The next batch. Throws what a worker died of; PartError where a batch is not what was ordered.
  BatchLease get();
  // Ends the workers; batches leased stay as they are. Idempotent.
  void stop() noexcept { source_->stop(); }

  // Any thread.
  RequestCounts counts();
  std::uint64_t made() const noexcept { return source_->made(); }
  std::optional<Nanoseconds> cpu_time() const noexcept { return source_->cpu_time(); }
  // Samples handed to the source whose batches were not got. Only after stop().
  Samples in_flight();

  std::uint32_t meters() const noexcept { return static_cast<std::uint32_t>(meters_.size()); }
  const ThreadMeter& meter(std::uint32_t worker) const noexcept { return *meters_[worker]; }
  MeterTotals totals() const noexcept;
  void keep_values(bool keep) noexcept;
  void trace(TraceRecorder& recorder) noexcept;

 private:
  struct Leased : BatchSlot {
    SourceBatch from;
    std::size_t place = 0;  // in the pinned memory
  };

  SourceSupply(const Loader& loader, EpochStream& stream, Runtime& runtime,
               const SupplyOptions& options);
  BatchRequest next() override;
  void give_back(BatchSlot& slot) noexcept override;
  void check(const SourceBatch& batch) const;
  void check_own(const SourceBatch& batch) const;
  Leased& take_slot();
  void pin(Leased& slot);

  EpochStream& stream_;
  Runtime& runtime_;
  const bool on_demand_;  // no workers: it is the trainer's thread that makes the batch
  const bool in_order_;
  const std::uint8_t tensors_;
  const std::uint32_t own_rows_;  // not 0: batches are in an order of the loader's own
  Lock lock_;                     // the requests'
  RequestCounts counts_;
  std::vector<SampleRef> refs_;
  std::vector<SampleId> ids_;
  std::uint64_t got_batches_ = 0, got_samples_ = 0;
  Lock slots_lock_;
  std::vector<std::unique_ptr<Leased>> slots_;
  std::vector<Leased*> free_;
  // The last one is the trainer's thread's, where that copies or there are no workers.
  std::vector<std::unique_ptr<ThreadMeter>> meters_;
  std::unique_ptr<PinnedRoom> pinned_;  // null: batches stay where the loader made them
  std::unique_ptr<BatchSource> source_;
};

}  // namespace benchbench
