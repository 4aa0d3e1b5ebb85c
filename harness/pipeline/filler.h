// One thread's way from a request to a filled batch.
#pragma once
#include "harness/pipeline/batch_queue.h"
#include "harness/pipeline/batch_scheduler.h"
#include "harness/pipeline/thread_meter.h"

namespace benchbench {

// What every worker of a trial works on; all of it outlives them.
struct Workshop {
  Runtime& runtime;
  Loader& loader;
  BatchScheduler& scheduler;
  BatchQueue& queue;
};

// Makes the LoaderWorker on the thread that constructs it, and is used there only.
class Filler {
 public:
  Filler(const Workshop& shop, WorkerNumber number, ThreadMeter& meter, WorkerClock& clock);
  // Takes work, fills it, hands the batch over where that completes it. False where the scheduler
  // has closed. Throws what the loader throws, with the batch added to an Error's context; the
  // filler is dead then. `on_demand`: the thread does other things between fills, so that no fill
  // could have begun before its call.
  bool fill_one(bool on_demand = false);

 private:
  const Workshop& shop_;
  WorkerNumber number_;
  ThreadMeter& meter_;
  WorkerClock& clock_;
  std::unique_ptr<LoaderWorker> worker_;
};

}  // namespace benchbench
