// The advice of a report, for programs.
#pragma once
#include <nlohmann/json_fwd.hpp>

#include "harness/analysis/findings.h"

namespace benchbench {

// An array in the order in which the last paragraph has it: the settings to use, the change of each
// finding of external_subject(), what is next. `id` is a word of Remedy, or of NextKind where no
// change is named; `finding` is that finding's `kind`. Both stay as they are from version to
// version.
nlohmann::ordered_json advice_values(const Findings& findings, const Plan& plan);

}  // namespace benchbench
