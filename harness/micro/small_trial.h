// A pipeline run for a moment: a loader of the catalogue, its pool, and a trainer whose steps take
// a known time.
#pragma once
#include <memory>

#include "harness/micro/line.h"
#include "harness/micro/pool_and_loop.h"
namespace benchbench::micro {

class SmallTrial {
 public:
  struct Order {
    WorkOrder work;        // its `residency` is taken from storage, whatever it says
    double step_time = 0;  // seconds; 0: a trainer that does nothing
  };
  SmallTrial(Workbench& bench, const Order& order);

  // Of one run, from start to end.
  double seconds_a_batch();

  // A timed trainer's settings.
  static const DescribedSettings& timed(Workbench& bench, double step_time);

 private:
  Workbench& bench_;
  Order order_;
  std::unique_ptr<Runtime> runtime_;
  std::unique_ptr<Device> device_;
  std::unique_ptr<Loader> loader_;
  std::unique_ptr<Sampler> sampler_;
  const DescribedSettings& training_;
};

}  // namespace benchbench::micro
