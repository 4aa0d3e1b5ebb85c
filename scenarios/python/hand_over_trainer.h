// Batches of ours into the user's step: each is copied into a slot of the ring, which the step
// reads.
#pragma once
#include <memory>

#include "harness/part/trainer.h"

namespace benchbench::python_part {

// Starts the process, loads the user's code and has its `setup` called.
std::unique_ptr<Trainer> make_hand_over_trainer(const TrainerContext& context);

}  // namespace benchbench::python_part
