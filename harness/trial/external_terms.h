// What a loader or a trainer in a process of its own is told of a trial that the harness runs.
#pragma once
#include "harness/part/external.h"
#include "harness/trial/trial_parts.h"

namespace benchbench {

// `context` must outlive them.
ExternalTerms external_terms(const TrialContext& context);

}  // namespace benchbench
