#include "harness/trial/external_terms.h"

#include "harness/record/external_keys.h"
#include "harness/trial/made_loader.h"

namespace benchbench {

ExternalTerms external_terms(const TrialContext& context) {
  return {.keys = external_keys_of(context.trial.settings),
          .observer = context.settings.measure.observer,
          .images = takes_images(context.executor.catalog, context.settings.trainer.use),
          .intra_op_threads = context.settings.trainer.intra_op_threads,
          .root = context.executor.dataset.path,
          .device = context.settings.trainer.device,
          .in_flight = context.settings.trainer.upload.in_flight,
          .look = [&context] { context.interruption.check(context.runtime.now()); }};
}

}  // namespace benchbench
