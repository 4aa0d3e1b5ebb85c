// A network's tensors in a folder: one file each, named as in torch's state_dict(), with the values
// as they are in memory.
#pragma once
#include <filesystem>

#include "scenarios/trainers/network.h"

namespace benchbench::test {

// Fills the network from `folder`, which holds its tensors and no other file. PartError where that
// is not so.
void load_state(const Network& network, const std::filesystem::path& folder);

}  // namespace benchbench::test
