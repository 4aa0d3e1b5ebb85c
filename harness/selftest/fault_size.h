// How large a fault must be made to cost a given share of the step.
#pragma once
#include "harness/selftest/injected_faults.h"

namespace benchbench::selftest {

// The size at which the pipeline's step, in virtual time and with exact times, has the fault as
// `share` of it (0 < share < 1), to within a twentieth of that share. Some faults cost nothing
// until they are large (a slow worker where others fill in), so it is found by trying: a handful of
// trials of some ms. PartError where no size does.
double size_for_share(const InjectedFault& fault, double share, const Catalog& catalog);

// The share it has at a size, in the same way.
double share_at_size(const InjectedFault& fault, double size, const Catalog& catalog);

}  // namespace benchbench::selftest
