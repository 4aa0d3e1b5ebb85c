// Records -> Findings. Pure; deterministic.
#pragma once
#include <span>

#include "harness/analysis/findings.h"
#include "harness/part/catalog.h"

namespace benchbench {

// `catalog`: what advice is checked against; without it, none is given.
Findings analyse(const Plan& plan, std::span<const TrialRecord> records,
                 const Catalog* catalog = nullptr);

}  // namespace benchbench
