// The trial's own queue, pool, credits, slots, step loop and accounting, without the rest of a
// trial.
#pragma once
#include "harness/trial/step_loop.h"

namespace benchbench::micro {

// From a loader to a trainer. All that is handed in outlives it. Its workers wait for credits
// whenever no step is taken.
struct Line {
  Line(const SupplyOptions& options, Loader& loader, Sampler& sampler, Trainer& trainer,
       Device& device, Runtime& runtime)
      : supply(options, loader, sampler, device, runtime),
        accounting(supply.stream(), loader.layout().samples),
        meter(options.meters),
        loop({runtime, supply, trainer, accounting, meter}, options.meters.observer > 0, false) {
    supply.start();
  }
  // Returns the end of the last of so many steps.
  TimePoint run(std::uint64_t steps) {
    for (; steps > 0; --steps) loop.step({});
    return loop.last_end();
  }

  Supply supply;
  SampleAccounting accounting;
  ThreadMeter meter;
  StepLoop loop;
};

}  // namespace benchbench::micro
