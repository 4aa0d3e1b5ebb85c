// Batches of the user's loader for a trainer of ours: the process writes each into a slot of the
// ring, and that is where the trainer reads it.
#pragma once
#include <memory>

#include "harness/part/loader.h"

namespace benchbench::python_part {

// Starts the process, loads the user's code and hears its first batch.
std::unique_ptr<Loader> make_hand_over_loader(const LoaderContext& context);

}  // namespace benchbench::python_part
