// `benchbench tune --python train.py:make_loader`: the scenario that this is short for.
#pragma once
#include <string>

#include "harness/app/command.h"

namespace benchbench {

// UsageError for options that do not go together, and for a function that is not named as
// FILE.py:FUNCTION or MODULE:FUNCTION.
std::string scenario_of_python(const Arguments& arguments);
// Of the file that --python names: "train" of "code/train.py:make_loader".
std::string name_of_python(const Arguments& arguments);

// As given, with a FILE: that of --python is written next to the results' folder. UsageError where
// there is neither or both.
Arguments with_file(const Arguments& arguments);

}  // namespace benchbench
