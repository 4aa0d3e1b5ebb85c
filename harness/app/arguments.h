// The words after a command -> its Arguments.
#pragma once
#include <string>
#include <vector>

#include "harness/app/command.h"

namespace benchbench {

// True if all that follows -- is another program's: the command's positional arguments.
bool takes_rest(const Command& command);
// Throws UsageError that names the word which is not understood, and the nearest option.
Arguments parse_arguments(const Command& command, const std::vector<std::string>& words);

}  // namespace benchbench
