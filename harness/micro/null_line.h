// The least that a batch costs: from a loader that makes nothing to a trainer that does nothing, by
// the trial's own queue, pool, credits, slots, step loop and accounting.
#pragma once
#include <memory>

#include "harness/micro/line.h"
#include "harness/micro/workbench.h"

namespace benchbench::micro {

class NullLine {
 public:
  struct Order {
    std::uint32_t workers = 0;
    std::uint32_t batch_size = 32;
    std::uint32_t max_jobs = 2;
    int observer = 1;
  };
  NullLine(Workbench& bench, const Order& order);

  // From here on a window is under way: what is kept of every step is kept.
  void begin_window();
  // Seconds of so many steps.
  double run(std::uint64_t steps);
  void step() { line_.loop.step({}); }
  Runtime& runtime() noexcept { return *runtime_; }

 private:
  std::unique_ptr<Runtime> runtime_;
  std::unique_ptr<Device> device_;
  std::unique_ptr<Loader> loader_;
  std::unique_ptr<Sampler> sampler_;
  std::unique_ptr<Trainer> trainer_;
  Line line_;
};

}  // namespace benchbench::micro
