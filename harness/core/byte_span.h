// Bytes of somebody else, to be read.
#pragma once
#include <cstddef>
#include <span>

namespace benchbench {

using ByteSpan = std::span<const std::byte>;

}  // namespace benchbench
