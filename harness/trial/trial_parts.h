// All the parts of one trial: made once, ended in reverse order.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "harness/pipeline/emulated_storage.h"
#include "harness/pipeline/interruption.h"
#include "harness/pipeline/supply.h"
#include "harness/record/resolved_settings.h"
#include "harness/trial/after/after_step.h"
#include "harness/trial/background_loader.h"
#include "harness/trial/device_feed/device_decode.h"
#include "harness/trial/device_feed/device_rows.h"
#include "harness/trial/executor.h"
#include "harness/trial/external/elsewhere.h"
#include "harness/trial/external/own_epochs.h"
#include "harness/trial/first_batch.h"
#include "harness/trial/probes/card_search.h"
#include "harness/trial/prototype_batch.h"
#include "harness/trial/step_loop.h"
#include "harness/trial/trial_probes.h"

namespace benchbench {

// What a trial is run with. All of it outlives the trial.
struct TrialContext {
  const Trial& trial;
  const ResolvedSettings& settings;  // of `trial`
  const ExecutorContext& executor;
  Runtime& runtime;
  Interruption interruption;
  std::uint32_t round = 0;
};

// Ended in reverse order, so that each ends before what it uses. One thread, the trainer's, uses
// them.
struct TrialParts {
  bool mock_loader = false;
  bool reads_dataset = false;     // the loader's description says that it needs one
  bool elsewhere = false;         // loader or trainer are in a process of its own
  std::int64_t startup_ns = 0;    // making all of them took
  std::unique_ptr<GpuWatch> gpu;  // null: this process has no context on a CUDA device
  // Null where loader and trainer are in this process, and where there is no card.
  std::unique_ptr<CardSearch> cards;
  std::unique_ptr<Device> device;
  std::unique_ptr<MadePrototype> prototype;  // null: the trial repeats no batch
  std::unique_ptr<PrefixedSettings> loader_settings, trainer_settings;
  std::unique_ptr<ExternalTerms> external;       // for a loader or trainer in a process of its own
  std::unique_ptr<Elsewhere> watched_elsewhere;  // null: neither is in one
  std::unique_ptr<EmulatedStorage> storage;      // null: none is emulated
  std::unique_ptr<DeviceRows> rows;              // null: the data are not on the device
  std::unique_ptr<DeviceDecode> decode;          // null: the device decodes nothing
  std::unique_ptr<Loader> loader;
  std::unique_ptr<Sampler> sampler;
  std::unique_ptr<TraceRecorder> trace;  // null: no trace
  std::unique_ptr<Supply> supply;
  std::unique_ptr<SampleAccounting> accounting;
  std::unique_ptr<ThreadMeter> meter;  // the trainer's thread's
  std::unique_ptr<DeviceFeed> feed;    // null: batches stay where they are
  std::unique_ptr<Trainer> trainer;    // may hold leases of the supply's slots
  std::unique_ptr<AfterStep> after;
  std::unique_ptr<FirstBatch> first_batch;
  std::unique_ptr<StepLoop> loop;
  std::unique_ptr<OwnEpochs> own_epochs;  // null: the loader is in this process
  // Null but in the trial of the trainer with the loader beside it.
  std::unique_ptr<BackgroundLoader> background;
  std::unique_ptr<TrialProbes> probes;  // null: off, or virtual time
};

// Throws what a part throws. `notices` outlives the parts: what could not be done as asked is added
// to it, also later.
TrialParts make_parts(const TrialContext& context, std::vector<std::string>& notices);

// nullopt where there is none. May synchronise: outside of the window.
std::optional<double> last_loss(Trainer& trainer);

// Returns what the loader says of itself, and who decodes where that is the device.
std::string loader_note(const TrialParts& parts);

}  // namespace benchbench
