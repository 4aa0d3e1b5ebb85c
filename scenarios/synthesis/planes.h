// Integer picture planes and the two operations 1/f noise is built of: double a plane, add one
// octave of noise. All arithmetic is integer, so that a plane is the same on every machine.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "harness/core/random.h"

namespace benchbench::synthesis {

// Signed 16-bit values, 1/16 of a grey level each, 0 being middle grey. Rows are contiguous.
struct Plane {
  int width = 0;
  int height = 0;
  std::vector<std::int16_t> values;

  void resize(int w, int h) {
    width = w;
    height = h;
    values.resize(static_cast<std::size_t>(w) * static_cast<std::size_t>(h));
  }
  std::int16_t* row(int y) noexcept { return values.data() + static_cast<std::size_t>(y) * width; }
  const std::int16_t* row(int y) const noexcept {
    return values.data() + static_cast<std::size_t>(y) * width;
  }
};
inline constexpr int kOneLevel = 16;  // plane units per grey level

// `out` becomes `in` at twice the size, cut to width × height, by the triangle filter (3, 1)/4 in
// both directions.
void double_plane(const Plane& in, int width, int height, Plane& out);

// How strong the fine octaves are from place to place: one value a 8 × 8 block of the full picture,
// kPlain = as is.
struct Roughness {
  static constexpr int kPlain = 64;
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> values;

  void resize(int full_width, int full_height) {
    width = (full_width + 7) / 8;
    height = (full_height + 7) / 8;
    values.assign(static_cast<std::size_t>(width) * static_cast<std::size_t>(height), kPlain);
  }
  std::uint8_t* row(int y) noexcept { return values.data() + static_cast<std::size_t>(y) * width; }
  const std::uint8_t* row(int y) const noexcept {
    return values.data() + static_cast<std::size_t>(y) * width;
  }
};

// Adds white noise of a triangular distribution, standard deviation `strength` × 0.4 grey levels,
// to every value. strength is at most 127.
void add_noise(Plane& plane, int strength, Random& random);
// The same, with the strength scaled by the roughness of the place. The plane is the full picture
// halved `level` times.
void add_rough_noise(Plane& plane, int level, int strength, const Roughness& roughness,
                     Random& random);

}  // namespace benchbench::synthesis
