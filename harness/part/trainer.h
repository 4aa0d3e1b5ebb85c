// The trainer's seam: a step takes a batch.
//
// All of it happens on the trial's thread, the one that also gets batches from the queue:
//
//   factory            once, after the loader is made
//   parameters(), holds()   once it is made
//   step()             for every batch, warm-up included
//   loss()             after the first step, after the window, and in it where trainer.log_every
//                      asks
//   finish()           at both ends of a window, and before the page cache is emptied within one;
//                      steps go on afterwards. A trainer in a process of its own may leave its last
//                      step under way, at both ends alike
//   mock_time()        after the window
//   ~Trainer           when the workers have ended; without a finish() where something threw
//
// Errors: what a trainer throws, as a rule PartError, ends the trial; its text becomes the record's
// reason.
#pragma once
#include <memory>
#include <optional>

#include "harness/core/runtime.h"
#include "harness/part/batch.h"
#include "harness/part/device.h"
#include "harness/part/external.h"
#include "harness/part/mock_time.h"
#include "harness/part/settings.h"
#include "harness/part/stage_meter.h"

namespace benchbench {

// What a step is told beside its batch. Valid during the step; only `meter` is valid until the next
// finish() has returned, so that the time of device work may be billed in a later step or there, to
// the step whose work it was.
struct StepContext {
  StepNumber step = 0;  // counted from the trial's first, warm-up included
  StageMeter& meter;
  // When the trainer's thread was done with all that came before this step, what follows a step and
  // batches made on demand included, and when the batch was there to be got (long ago where it was
  // made on demand): from the later of the two on a step could have run, had handing over cost
  // nothing. A mock whose last step was late makes that good no further back than there. kNotKnown
  // if not stamped.
  TimePoint free = kNotKnown;
  TimePoint filled = kNotKnown;
  // Of a device with memory of its own: where the step is to be enqueued. What is on it already
  // lets it begin when its batch is there; step() may return while its work is under way. nullptr:
  // the step is the calling thread's work.
  DeviceStream* stream = nullptr;
};

class Trainer {
 public:
  // Drops every lease that it still has; the slots' owner is still there.
  virtual ~Trainer() = default;
  // Takes the batch: one training step of it. May leave device work in flight and keep the lease
  // until an event of its own is done; after the call it keeps holds() leases at most. Reads no
  // byte of the batch before batch.ready() was waited for, where that is not null, and none after
  // the lease is dropped: a worker may be writing the next batch there. Drops the lease as soon as
  // the bytes are no longer needed. A batch may hold fewer samples than batch_size, and a ragged
  // tensor is as wide as its view says. Where it throws, the lease is dropped on the way out.
  virtual void step(BatchLease batch, StepContext& context) = 0;
  // Returns when all work of the steps so far is done and every lease is dropped. Steps may follow.
  virtual void finish() = 0;
  // The last loss read back, NaN where there is none. Reading it may synchronise with the device:
  // it is called inside a window only where trainer.log_every asks for it. Never during step(). The
  // same seed, settings and batches give the same losses.
  virtual double loss() = 0;
  // Trainable parameters, 0 for a mock. Does not change.
  virtual std::uint64_t parameters() const noexcept = 0;
  // Of a mock that is to take a certain time: of all steps so far.
  virtual MockTime mock_time() const noexcept { return {}; }
  // Of a trainer in a process of its own: after the last step, also where that threw; nullopt for
  // every other.
  virtual std::optional<ExternalResult> external_result() { return std::nullopt; }
  // On a device with memory of its own: false where the trainer does not read the bytes of its
  // batches; nothing is copied then.
  virtual bool wants_batches_on_device() const noexcept { return true; }
  // The number of its first steps that are made in another way than later ones. A window begins
  // after them and one more for each buffer of the device. Does not change.
  virtual std::uint32_t first_steps() const noexcept { return 0; }
  // Leases it may hold at once beside the one in step(). Does not change: so many slots are made on
  // top. Where it keeps more, the trial ends with an error that says so.
  virtual std::uint32_t holds() const noexcept = 0;
};

// What a trainer is made with. Valid during the factory's call, settings included: copy what is
// needed later. Runtime, device and the times outlive the trainer.
struct TrainerContext {
  const Settings& settings;            // every parameter of its description
  BatchSpec batch;                     // what will come: Loader::spec()
  std::uint32_t batch_size = 1;        // samples of a batch, at most
  std::uint32_t classes = 1000;        // labels are below this
  std::uint32_t intra_op_threads = 1;  // threads that a step may use, its own among them
  std::uint64_t seed = 0;  // the round's: of initial weights, and of everything else that is drawn
  Runtime& runtime;
  Device& device;                            // batches are in its memory
  std::span<const std::int64_t> times = {};  // for replay: ns of each step, in order
  std::uint64_t first_time = 0;              // the one of them that this round's first step takes
  const ExternalTerms* external = nullptr;  // for a trainer in a process of its own; null: no terms
};

// Makes a trainer, never nullptr. Throws PartError where it does not take such batches, DeviceError
// where it cannot use the device (the trial is then SKIPPED with the reason).
using TrainerFactory = std::unique_ptr<Trainer> (*)(const TrainerContext&);

}  // namespace benchbench
