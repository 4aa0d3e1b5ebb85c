// Why a run has as many rounds as it has.
#pragma once
#include <string>

#include "harness/analysis/stopping.h"

namespace benchbench {

// One line; empty where it is not enough yet.
std::string stopping_text(const StoppingState& state);

}  // namespace benchbench
