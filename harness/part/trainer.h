// The trainer's seam.
#pragma once
#include <limits>
#include <memory>
#include <optional>

#include "harness/core/runtime.h"
#include "harness/part/batch.h"
#include "harness/part/device.h"
#include "harness/part/settings.h"
#include "harness/part/stage_meter.h"

namespace benchbench {

struct StepContext {
  StepNumber step = 0;
  StageMeter& meter;
  // When the trainer's thread was done with all that came before this step, what follows a step and batches made on
  // demand included, and when the batch was there to be got (long ago where it was made on demand): from the later of
  // the two on a step could have run, had handing over cost nothing. A mock that keeps to a known time counts from
  // there. kNotKnown where nobody says.
  TimePoint free = kNotKnown;
  TimePoint filled = kNotKnown;
};

// One thread. step() takes the batch and may leave device work in flight; it waits for batch.ready() itself and
// releases the batch by dropping the lease after its own event. finish() returns when all of it is done; it ends a window.
class Trainer {
 public:
  virtual ~Trainer() = default;
  virtual void step(BatchLease batch, StepContext& context) = 0;
  virtual void finish() = 0;
  // The last loss read back, NaN where there is none. Reading it may synchronise: called inside a window only where
  // trainer.log_every asks for it.
  virtual double loss() = 0;
  // Trainable parameters, 0 for a mock.
  virtual std::uint64_t parameters() const noexcept = 0;
  // Of a mock that is to take a certain time: time taken over time asked for, of all steps so far; NaN where it is to
  // take none. 1 is true to the scenario.
  virtual double fidelity() const noexcept { return std::numeric_limits<double>::quiet_NaN(); }
  // Leases it may hold at once beside the one in step().
  virtual std::uint32_t holds() const noexcept = 0;
};

struct TrainerContext {
  const Settings& settings;      // the trainer's own parameters, "device" among them resolved
  BatchSpec batch;               // what will come
  std::uint32_t batch_size = 1;
  std::uint32_t classes = 1000;
  std::uint32_t intra_op_threads = 1;
  std::uint64_t seed = 0;
  Runtime& runtime;
  Device& device;
  std::span<const std::int64_t> times = {};   // for replay: ns of each step, in order; valid as long as the trainer
};

using TrainerFactory = std::unique_ptr<Trainer> (*)(const TrainerContext&);

}  // namespace benchbench
