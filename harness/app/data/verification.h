// `benchbench data FILE --verify`: the whole data set, once, through the whole loader, against its
// manifest.
#pragma once
#include "harness/app/command.h"

namespace benchbench {

// Returns the exit code: 1 if the data are not sound. Throws UsageError if the scenario's loader
// reads no data.
int verify_data(const Arguments& arguments);

}  // namespace benchbench
