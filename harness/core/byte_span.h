// A view of bytes that another object owns.
#pragma once
#include <cstddef>
#include <span>

namespace benchbench {

using ByteSpan = std::span<const std::byte>;

}  // namespace benchbench
