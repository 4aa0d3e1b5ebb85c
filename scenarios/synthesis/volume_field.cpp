#include "scenarios/synthesis/volume_field.h"

#include <algorithm>
#include <cstddef>

#include "harness/core/random.h"

namespace benchbench::synthesis {
namespace {

constexpr int kCell = 8;  // voxels between the points of the smooth part
constexpr int kBodies = 7;

int points(int length) { return (length + kCell - 1) / kCell + 1; }

float between(Random& random, float min, float max) {
  return min + (max - min) * static_cast<float>(random.next() >> 40) * 0x1p-24f;
}

struct Body {
  float z, y, x;                 // centre
  float over_z, over_y, over_x;  // 1 / radius squared
  float density;
};

Body draw_body(Random& random, VolumeSize size) {
  const auto radius = [&](int length) {
    const float r = static_cast<float>(length) * between(random, 0.08f, 0.35f) + 1;
    return 1 / (r * r);
  };
  const auto centre = [&](int length) {
    return static_cast<float>(length) * between(random, 0.1f, 0.9f);
  };
  return {centre(size.depth),  centre(size.height), centre(size.width),        radius(size.depth),
          radius(size.height), radius(size.width),  between(random, -700, 900)};
}

// Values at the points of a coarse grid, read off between them along one line of voxels.
class Smooth {
 public:
  Smooth(Random& random, VolumeSize size)
      : rows_(points(size.height)),
        columns_(points(size.width)),
        line_(static_cast<std::size_t>(columns_)) {
    values_.resize(static_cast<std::size_t>(points(size.depth)) * static_cast<std::size_t>(rows_) *
                   line_.size());
    for (float& value : values_) value = between(random, -160, 160);
  }

  void put_line(int z, int y, std::vector<float>& to, std::size_t at, int width) {
    const float fz = static_cast<float>(z % kCell) / kCell,
                fy = static_cast<float>(y % kCell) / kCell;
    const float* a = row(z / kCell, y / kCell);
    const float* b = row(z / kCell, y / kCell + 1);
    const float* c = row(z / kCell + 1, y / kCell);
    const float* d = row(z / kCell + 1, y / kCell + 1);
    for (std::size_t i = 0; i < line_.size(); ++i)
      line_[i] = (a[i] * (1 - fy) + b[i] * fy) * (1 - fz) + (c[i] * (1 - fy) + d[i] * fy) * fz;
    for (int x = 0; x < width; ++x) {
      const float fx = static_cast<float>(x % kCell) / kCell;
      const std::size_t cell = static_cast<std::size_t>(x / kCell);
      to[at + static_cast<std::size_t>(x)] = line_[cell] * (1 - fx) + line_[cell + 1] * fx;
    }
  }

 private:
  const float* row(int z, int y) const {
    return values_.data() + (static_cast<std::size_t>(z) * static_cast<std::size_t>(rows_) +
                             static_cast<std::size_t>(y)) *
                                line_.size();
  }
  int rows_, columns_;
  std::vector<float> line_;
  std::vector<float> values_;
};

void add_body(const Body& body, int z, int y, float* line, int width) {
  const float dz = static_cast<float>(z) - body.z, dy = static_cast<float>(y) - body.y;
  const float rest = 1 - dz * dz * body.over_z - dy * dy * body.over_y;
  if (rest <= 0) return;
  for (int x = 0; x < width; ++x) {
    const float dx = static_cast<float>(x) - body.x;
    if (dx * dx * body.over_x < rest) line[x] += body.density;
  }
}

// Triangular, standard deviation about 20 units; four voxels from one draw.
void add_noise(Random& random, float* line, int width) {
  for (int x = 0; x < width; x += 4) {
    std::uint64_t bits = random.next();
    for (int i = x; i < std::min(x + 4, width); ++i, bits >>= 16)
      line[i] += static_cast<float>(static_cast<int>(bits & 255) +
                                    static_cast<int>(bits >> 8 & 255) - 255) *
                 0.2f;
  }
}

}  // namespace

void paint(std::uint64_t seed, VolumeSize size, std::vector<float>& voxels) {
  Random random(seed);
  voxels.resize(static_cast<std::size_t>(size.depth) * static_cast<std::size_t>(size.height) *
                static_cast<std::size_t>(size.width));
  Smooth smooth(random, size);
  Body bodies[kBodies];
  for (Body& body : bodies) body = draw_body(random, size);
  std::size_t at = 0;
  for (int z = 0; z < size.depth; ++z) {
    for (int y = 0; y < size.height; ++y, at += static_cast<std::size_t>(size.width)) {
      smooth.put_line(z, y, voxels, at, size.width);
      float* line = voxels.data() + at;
      for (const Body& body : bodies) add_body(body, z, y, line, size.width);
      add_noise(random, line, size.width);
      for (int x = 0; x < size.width; ++x) line[x] = std::clamp(line[x], -1024.f, 3071.f);
    }
  }
}

}  // namespace benchbench::synthesis
