// A rectangle of pixels.
#pragma once

namespace benchbench {

struct Region {
  int x = 0;
  int y = 0;
  int width = 0;
  int height = 0;
  bool operator==(const Region&) const = default;
};

}  // namespace benchbench
