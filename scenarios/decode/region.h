// A rectangle of pixels, and rows of them.
#pragma once
#include <cstdint>
#include <span>

namespace benchbench {

struct Region {
  int x = 0;
  int y = 0;
  int width = 0;
  int height = 0;
  bool operator==(const Region&) const = default;
};

// The first pixel of each row.
using RowPointers = std::span<const std::uint8_t* const>;

}  // namespace benchbench
