// A loader's work without a harness: as many threads as workers, each filling batches into rows of
// its own.
#pragma once
#include <memory>
#include <vector>

#include "harness/pipeline/supply.h"

namespace benchbench::micro {

// The comparison partner of the trial's worker pool: the same LoaderWorker::fill with the same
// samples and seeds, the same meters, as much memory in as many recycled slots, and nothing between
// the threads but a counter of batches.
class PlainLoop {
 public:
  struct Order {
    Loader& loader;
    Sampler& sampler;
    Device& device;
    Runtime& runtime;
    SupplyOptions options;  // num_workers, batch_size, max_jobs, seed and meters are used
    std::uint64_t batches;
  };
  explicit PlainLoop(const Order& order);
  // From the start of the threads until `batches` batches are filled. The threads work on until
  // they notice, as a pool does that is ahead of its trainer.
  Nanoseconds run();

 private:
  class Worker;
  void draw_requests();

  Order order_;
  SlotRing ring_;
  std::vector<RingSlot*> slots_;
  std::vector<std::vector<SampleRef>> samples_;  // by batch
  std::vector<Epoch> epochs_;                    // by batch
  std::atomic<std::uint64_t> next_{0};
  std::atomic<std::uint64_t> filled_{0};
  Waiter done_;
};

}  // namespace benchbench::micro
