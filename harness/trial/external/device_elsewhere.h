// The device of a step in a process of its own, as this process has it: by name alone.
#pragma once
#include <memory>
#include <string>

#include "harness/part/device.h"

namespace benchbench {

// Returns a device of that name without a context on it: its memory is the host's, and pinned
// memory is not pinned here, with a note. Batches are copied to the process of the step, and that
// process has the context.
std::unique_ptr<Device> make_device_elsewhere(std::string name);

}  // namespace benchbench
