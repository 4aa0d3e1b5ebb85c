#include "harness/trial/external_terms.h"

#include "harness/record/external_keys.h"

namespace benchbench {

ExternalTerms external_terms(const TrialContext& context) {
  return {.keys = external_keys_of(context.trial.settings),
          .observer = context.settings.measure.observer,
          .look = [&context] { context.interruption.check(context.runtime.now()); }};
}

}  // namespace benchbench
