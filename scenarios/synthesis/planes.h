// Integer picture planes and the two operations 1/f noise is built of: double a plane, add one
// octave of noise. All arithmetic is integer, so that a plane is the same on every machine.
#pragma once
#include <cstdint>
#include <vector>

#include "harness/core/random.h"

namespace benchbench::synthesis {

// Values of a picture, row by row.
template <class Value>
struct Grid {
  int width = 0;
  int height = 0;
  std::vector<Value> values;

  void resize(int w, int h) {
    width = w;
    height = h;
    values.resize(static_cast<std::size_t>(w) * static_cast<std::size_t>(h));
  }
  Value* row(int y) noexcept { return values.data() + static_cast<std::size_t>(y) * width; }
  const Value* row(int y) const noexcept {
    return values.data() + static_cast<std::size_t>(y) * width;
  }
};

// Signed 16-bit values, 1/16 of a grey level each, 0 being middle grey.
using Plane = Grid<std::int16_t>;
inline constexpr int kOneLevel = 16;  // plane units per grey level

// `out` becomes `in` at twice the size, cut to width × height, by the triangle filter (3, 1)/4 in
// both directions.
void double_plane(const Plane& in, int width, int height, Plane& out);

// How strong the fine octaves are from place to place: one value a 8 × 8 block of the full picture,
// kPlain = as is.
struct Roughness : Grid<std::uint8_t> {
  static constexpr int kPlain = 64;

  // Makes room for a picture of this size. The values are not set.
  void resize_for(int full_width, int full_height) {
    resize((full_width + 7) / 8, (full_height + 7) / 8);
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
