// What the standard library throws of files and folders.
#pragma once
#include <exception>
#include <optional>

#include "harness/core/error.h"

namespace benchbench {

// With the path and the system's reason; none of what is no fault of a file: that is one of ours.
std::optional<StoreError> input_output_error(const std::exception& thrown);

}  // namespace benchbench
