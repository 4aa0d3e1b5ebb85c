// A loader's work in the trial's pool, and the same work in a bare loop.
#pragma once
#include <memory>

#include "harness/micro/figures/paired.h"
#include "harness/micro/plain_loop.h"
#include "harness/micro/workbench.h"

namespace benchbench::micro {

struct WorkOrder {
  std::string loader;
  DescribedSettings::Given settings = {};
  DatasetPlace dataset = {};
  std::uint32_t workers = 1;
  std::uint32_t batch_size = 32;
  std::uint64_t batches = 8;  // of one side in one round
};

// Made-up images of 224 pixels, 256 of them a batch.
WorkOrder mock_work(std::uint32_t workers);

// CPUs that this process may run on.
int usable_cores();
// As the executor chooses it: watching for a wake-up pays where each thread has a core.
std::unique_ptr<Runtime> runtime_for(std::uint32_t workers);
std::unique_ptr<Loader> loader_for(Workbench& bench, const WorkOrder& order);

// The loader, made once; both sides' memory is their own.
class PoolAndLoop {
 public:
  // Throws what the parts throw. The second: with a loader of the caller's, which outlives it.
  PoolAndLoop(Workbench& bench, const WorkOrder& order);
  PoolAndLoop(Workbench& bench, const WorkOrder& order, Loader& loader);

  // Seconds from the start of the workers until as many batches are got.
  double pool();
  // Seconds a batch of workers that are started for it and stopped after it. `batches` of the order
  // is not used.
  double steady_pool(const SteadySlice& slice);
  // Seconds from the start of the threads until as many batches are filled.
  double loop();
  double samples() const noexcept {
    return static_cast<double>(order_.batches) * static_cast<double>(order_.options.batch_size);
  }
  const Loader& loader() const noexcept { return order_.loader; }

 private:
  PoolAndLoop(Workbench& bench, const WorkOrder& order, std::unique_ptr<Loader> own,
              Loader* others);

  std::unique_ptr<Loader> own_;
  std::unique_ptr<Runtime> runtime_;
  std::unique_ptr<Device> device_;
  std::unique_ptr<Sampler> sampler_;
  PlainLoop::Order order_;
  std::unique_ptr<PlainLoop> loop_;  // made when first run
};

}  // namespace benchbench::micro
