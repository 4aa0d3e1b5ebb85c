// An external trial's facts: those of the threaded executor, as far as they can be known. Pure.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "harness/trial/external/external_trial.h"

namespace benchbench {

Facts facts_of(const TrialContext& context, const ExternalTrial& trial);

// Series to be stored: moved out of it.
std::map<std::string, std::vector<std::int64_t>> series_of(const TrialContext& context,
                                                           ExternalTrial& trial);

}  // namespace benchbench
