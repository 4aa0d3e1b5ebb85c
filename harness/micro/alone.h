// One loader at work in one thread, without pool and queue.
#pragma once
#include <memory>

#include "harness/micro/workbench.h"
#include "harness/pipeline/epoch_stream.h"
#include "harness/pipeline/slot_ring.h"
#include "harness/pipeline/thread_meter.h"

namespace benchbench::micro {

struct LoaderOrder {
  std::string name;
  DescribedSettings::Given given = {};
  DatasetPlace dataset = {};
  std::uint32_t batch_size = 32;
  std::string access = "random";
  std::uint32_t slots = 2;
  // The workers of a loader that has its own; two batches each in flight.
  std::uint32_t own_workers = 0;
};

// A loader of the catalogue made by its own description, its sampler, and a ring of slots that it
// fills in the calling thread, one batch after the other. A loader with workers of its own is asked
// for its batches instead.
class LoaderAlone {
 public:
  // Throws what the parts throw.
  LoaderAlone(Workbench& bench, const LoaderOrder& order);
  ~LoaderAlone();

  // Makes one batch and drops it. Returns its samples.
  std::uint64_t make();
  // Makes one batch and hands it over.
  BatchLease next();
  // One that was made before: every slot is filled once, then they go round. Not where the loader
  // has own workers.
  BatchLease cached();

  bool has_own_workers() const noexcept { return source_ != nullptr; }
  const Loader& loader() const noexcept { return *loader_; }
  Runtime& runtime() noexcept { return *runtime_; }
  Device& device() noexcept { return *device_; }
  std::uint32_t batch_size() const noexcept { return batch_size_; }

 private:
  class Feed;
  void make_source(std::uint32_t workers);
  RingSlot& filled();

  std::unique_ptr<Runtime> runtime_;
  std::unique_ptr<Device> device_;
  std::uint32_t batch_size_;
  std::vector<std::byte> prototype_rows_;
  PrototypeBatch prototype_;
  std::unique_ptr<Loader> loader_;
  std::unique_ptr<Sampler> sampler_;
  std::unique_ptr<EpochStream> stream_;
  std::unique_ptr<SlotRing> slots_;
  std::unique_ptr<LoaderWorker> worker_;
  std::vector<std::unique_ptr<ThreadMeter>> meters_;
  std::vector<StageMeter*> meters_of_source_;
  std::unique_ptr<Feed> feed_;
  std::unique_ptr<BatchSource> source_;
  BatchNumber next_ = 0;
  std::uint32_t cached_ = 0;  // slots filled for cached()
};

// A trainer that steps on batches that were made before, in the calling thread.
class TrainerAlone {
 public:
  // Throws what the trainer throws. `food` outlives it.
  TrainerAlone(Workbench& bench, std::string_view name, const DescribedSettings& settings,
               LoaderAlone& food);
  void step();
  Trainer& trainer() noexcept { return *trainer_; }

 private:
  LoaderAlone& food_;
  std::unique_ptr<Trainer> trainer_;
  ThreadMeter meter_{{.observer = 0}};
  StepNumber step_ = 0;
};

}  // namespace benchbench::micro
