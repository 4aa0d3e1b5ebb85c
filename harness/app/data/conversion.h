// `benchbench data PATH --to PATH`: samples from one format to another.
#pragma once
#include "harness/app/command.h"

namespace benchbench {

// Returns the exit code. Throws UsageError or ScenarioError if an option is wrong.
int convert_data(const Arguments& arguments);

}  // namespace benchbench
