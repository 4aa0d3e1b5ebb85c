// CMYK as JPEG files have it -> RGB, as Pillow's convert("RGB") gives it.
#pragma once
#include <cstddef>
#include <cstdint>

namespace benchbench {

// In place, 4 bytes a pixel. The values in such files are inverted (Adobe's habit, which everybody
// follows): 255 is no ink.
inline void cmyk_to_rgb(std::uint8_t* pixels, std::size_t count) noexcept {
  for (std::uint8_t* p = pixels; p != pixels + 4 * count; p += 4) {
    const unsigned light = p[3];  // 255 - black ink
    for (int channel = 0; channel < 3; ++channel) {
      const unsigned product = (255u - p[channel]) * light + 128;
      p[channel] = static_cast<std::uint8_t>(light - ((product + (product >> 8)) >> 8));
    }
  }
}

}  // namespace benchbench
