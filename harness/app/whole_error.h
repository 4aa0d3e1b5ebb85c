// The one place that turns an Error into all of its words and an exit code.
#pragma once
#include "harness/core/error.h"

namespace benchbench {

// Tells it on standard error, with its context, details and hint; a scenario's diagnostics one by
// one, with their lines. Returns the exit code of its kind.
int tell_whole_error(const Error& error);

}  // namespace benchbench
