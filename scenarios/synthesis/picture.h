// One picture as a camera's JPEG encoder sees it: brightness at full size, the two colour planes at
// half size.
#pragma once
#include <cstdint>
#include <vector>

namespace benchbench::synthesis {

struct Picture {
  int width = 0;
  int height = 0;
  int padded_width = 0;  // of brightness, a multiple of 16; the colour planes have half
  int padded_height = 0;
  std::vector<std::uint8_t> light;
  std::vector<std::uint8_t> blue;
  std::vector<std::uint8_t> red;
};

// Paints the picture of `seed` into `picture`, whose memory is reused. 1/f noise (each octave of
// about the same strength, as natural pictures have it) under 12 to 60 shapes; the fine octaves
// differ in strength from picture to picture and from place to place, so that entropy varies as it
// does among photographs. Any thread.
void paint(std::uint64_t seed, int width, int height, Picture& picture);

}  // namespace benchbench::synthesis
