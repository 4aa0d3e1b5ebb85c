#include "scenarios/synthesis/picture.h"

#include <algorithm>
#include <array>

#include "scenarios/synthesis/planes.h"
#include "scenarios/synthesis/shapes.h"

namespace benchbench::synthesis {
namespace {

// Octaves below this one are laid over the whole picture; the finest kRoughLevels follow the
// roughness of the place.
constexpr int kCoarsest = 7;
constexpr int kRoughLevels = 3;

// Noise strengths in units of 0.4 grey levels, from the finest octave to the coarsest. Tuned with
// scripts/calibrate_synthesis against photographs: bits per pixel and decode time per pixel.
constexpr std::array<int, kCoarsest + 1> kLightStrength = {90, 104, 88, 60, 46, 40, 42, 50};
constexpr std::array<int, kCoarsest> kColourStrength = {4, 5, 7, 9, 11, 15, 20};

struct Scratch {
  Plane now;
  Plane next;
  Plane blue;
  Plane red;
  Roughness roughness;
  std::vector<PaintedShape> shapes;
};

// The length of a side that is halved `level` times.
int size_at(int full, int level) { return (full + (1 << level) - 1) >> level; }

// How much detail this picture has: 0.35 to 1.9 times plain, most near 1.
double detail_of(Random& random) {
  const double u = (random.uniform() + random.uniform()) / 2;
  return 0.35 + 1.55 * u;
}

void paint_roughness(Scratch& s, int width, int height, Random& random) {
  s.roughness.resize_for(width, height);
  // Two octaves of blotches, each 64 and 32 pixels wide, times the shapes' own roughness below.
  for (int y = 0; y < s.roughness.height; ++y) {
    std::uint8_t* row = s.roughness.row(y);
    for (int x = 0; x < s.roughness.width; ++x)
      row[x] = static_cast<std::uint8_t>(28 + random.below(56));
  }
  for (const PaintedShape& shape : s.shapes) draw_roughness(shape, s.roughness);
}

// The pyramid: from a few pixels up to the full plane, each time doubled, drawn on and sprinkled
// with noise.
void paint_light(Scratch& s, int width, int height, double detail, Random& random) {
  s.now.resize(size_at(width, kCoarsest), size_at(height, kCoarsest));
  std::fill(s.now.values.begin(), s.now.values.end(),
            static_cast<std::int16_t>(random.uniform(-40, 30) * kOneLevel));
  add_noise(s.now, kLightStrength[kCoarsest], random);
  for (int level = kCoarsest - 1; level >= 0; --level) {
    double_plane(s.now, size_at(width, level), size_at(height, level), s.next);
    std::swap(s.now, s.next);
    for (const PaintedShape& shape : s.shapes) {
      if (shape.level == level) draw_light(shape, s.now, level);
    }
    if (level >= kRoughLevels) {
      add_noise(s.now, kLightStrength[level], random);
    } else {
      add_rough_noise(s.now, level, static_cast<int>(kLightStrength[level] * detail), s.roughness,
                      random);
    }
  }
}

void paint_colour(Plane& out, Plane& next, int width, int height, double saturation,
                  Random& random) {
  constexpr int kTop = static_cast<int>(kColourStrength.size()) - 1;
  out.resize(size_at(width, kTop), size_at(height, kTop));
  std::fill(out.values.begin(), out.values.end(), std::int16_t{0});
  for (int level = kTop;; --level) {
    add_noise(out, static_cast<int>(kColourStrength[level] * saturation), random);
    if (level == 0) return;
    double_plane(out, size_at(width, level - 1), size_at(height, level - 1), next);
    std::swap(out, next);
  }
}

void to_bytes(const Plane& plane, std::vector<std::uint8_t>& bytes) {
  bytes.resize(plane.values.size());
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const int level = ((plane.values[i] + kOneLevel / 2) >> 4) + 128;
    bytes[i] = static_cast<std::uint8_t>(std::clamp(level, 0, 255));
  }
}

}  // namespace

void paint(std::uint64_t seed, int width, int height, Picture& picture) {
  thread_local Scratch s;
  Random random(seed);
  picture.width = width;
  picture.height = height;
  picture.padded_width = (width + 15) / 16 * 16;
  picture.padded_height = (height + 15) / 16 * 16;
  const double detail = detail_of(random);
  const double saturation = random.uniform(0.1, 1.3);
  s.shapes.resize(12 + random.below(49));
  for (PaintedShape& shape : s.shapes) shape = random_shape(width, height, random);

  paint_roughness(s, picture.padded_width, picture.padded_height, random);
  paint_light(s, picture.padded_width, picture.padded_height, detail, random);
  to_bytes(s.now, picture.light);
  paint_colour(s.blue, s.next, picture.padded_width / 2, picture.padded_height / 2, saturation,
               random);
  paint_colour(s.red, s.next, picture.padded_width / 2, picture.padded_height / 2, saturation,
               random);
  for (const PaintedShape& shape : s.shapes) draw_colour(shape, s.blue, s.red, 1);
  to_bytes(s.blue, picture.blue);
  to_bytes(s.red, picture.red);
}

}  // namespace benchbench::synthesis
