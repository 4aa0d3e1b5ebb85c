// The last paragraph's values, for programs.
#pragma once
#include <nlohmann/json_fwd.hpp>

#include "harness/analysis/findings.h"

namespace benchbench {

// {"binds": side, "point", "takes_share", "costs_share", "component", "rounds", "indicative",
//  "noisy", "what_if", "use", "holds_for",
//  "headroom": "not measured|too little|narrow|ample", "headroom_of", "least_headroom_of",
//  "epoch_samples", "epoch_seconds", "epoch_seconds_after",
//  "job": {"unit", "amount", "samples", "hours", "hours_after", "price", "sum",
//          "sum_after"} or null,
//  "next": {"kind", "point", "component", "key", "from", "to"}, "lines": [{"label", "text"}]};
// null is "not known" or "none".
nlohmann::ordered_json conclusion_values(const Findings& findings, const Plan& plan);

}  // namespace benchbench
