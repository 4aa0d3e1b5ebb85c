// The next single thing to try.
#pragma once
#include "harness/analysis/findings.h"
#include "harness/part/catalog.h"

namespace benchbench {

// Where the results lead from the point to use, else from the subject: what costs most there, by
// substitution where it was measured. Nothing that the sweep has tried, and with a catalogue
// nothing that the point's parts do not take. `so_far` has its subject.
Next next_step(const Plan& plan, const Findings& findings, const Conclusion& so_far,
               const Catalog* catalog);

}  // namespace benchbench
