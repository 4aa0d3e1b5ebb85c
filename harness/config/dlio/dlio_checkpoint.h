// How much a rank of a DLIO workload writes at a checkpoint: given, or counted from the model's
// shape.
#pragma once
#include <cstdint>
#include <optional>

#include "harness/config/dlio/dlio_keys.h"

namespace benchbench::config {

// Bytes of one rank's part of a checkpoint: model.model_size, or a transformer's parameters in the
// model's and the optimizer's number formats, split as model.parallelism says. nullopt where the
// file says neither.
std::optional<std::uint64_t> checkpoint_bytes_of_rank(DlioKeys& keys);

}  // namespace benchbench::config
