// The loop of a tune: propose, run, store, until nothing is left to gain.
#pragma once
#include <optional>
#include <string>

#include "harness/app/session/session.h"
#include "harness/app/tune/tune_records.h"
#include "harness/trial/executor.h"

namespace benchbench {

// Runs until the search ends or the user interrupts it. The session keeps records and times.
void run_tune(const TuneStudy& study, Session& session, bool quiet);

// What of its window a trial has counted.
struct BatchesSeen {
  double batches = 0, workers = 0;
};
// Why a trial that came so far may end: a third of its window at a rate below `below`. nullopt: it
// may not. Workers in step deliver in bursts of as many batches as there are workers, which few
// bursts do not average out.
std::optional<std::string> why_hopeless(const TrialProgress& progress, std::optional<double> below,
                                        const BatchesSeen& seen);

}  // namespace benchbench
