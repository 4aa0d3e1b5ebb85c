#include "scenarios/synthesis/shapes.h"

#include <algorithm>
#include <cmath>

namespace benchbench::synthesis {
namespace {

// A direction without a sine: a point of the disc, normalised.
void random_direction(double& x, double& y, Random& random) {
  double square = 0;
  do {
    x = random.uniform(-1, 1);
    y = random.uniform(-1, 1);
    square = x * x + y * y;
  } while (square > 1 || square < 0.01);
  const double length = std::sqrt(square);
  x /= length;
  y /= length;
}

struct Interval {
  double low;
  double high;
};

// x with |(x, dy) · (nx, ny)| <= reach, all relative to the centre.
Interval between(double nx, double ny, double dy, double reach, Interval within) {
  const double offset = ny * dy;
  if (std::abs(nx) < 1e-9) return std::abs(offset) <= reach ? within : Interval{1, 0};
  double low = (-reach - offset) / nx;
  double high = (reach - offset) / nx;
  if (low > high) std::swap(low, high);
  return {std::max(within.low, low), std::min(within.high, high)};
}

Interval ellipse_run(const PaintedShape& s, double dy) {
  const double pa = 1 / (s.a * s.a);
  const double pb = 1 / (s.b * s.b);
  const double xx = s.ux * s.ux * pa + s.uy * s.uy * pb;
  const double xy = s.ux * s.uy * (pa - pb) * dy;
  const double yy = (s.uy * s.uy * pa + s.ux * s.ux * pb) * dy * dy - 1;
  const double under = xy * xy - xx * yy;
  if (under <= 0) return {1, 0};
  const double root = std::sqrt(under);
  return {(-xy - root) / xx, (-xy + root) / xx};
}

constexpr double kFar = 1e7;

Interval run_of(const PaintedShape& s, double dy) {
  switch (s.kind) {
    case PaintedShape::Kind::ellipse:
      return ellipse_run(s, dy);
    case PaintedShape::Kind::box:
      return between(-s.uy, s.ux, dy, s.b, between(s.ux, s.uy, dy, s.a, {-kFar, kFar}));
    case PaintedShape::Kind::half_plane: {
      // Everything on the side the axis points away from: (x, dy) · u <= 0.
      if (std::abs(s.ux) < 1e-9) return s.uy * dy <= 0 ? Interval{-kFar, kFar} : Interval{1, 0};
      const double edge = -s.uy * dy / s.ux;
      return s.ux > 0 ? Interval{-kFar, edge} : Interval{edge, kFar};
    }
  }
  return {1, 0};
}

}  // namespace

// Sizes follow a power law, as those of things seen at all distances do (the "dead leaves" model):
// many small, few large.
PaintedShape random_shape(int width, int height, Random& random) {
  PaintedShape s;
  const double u = random.uniform();
  s.kind = u < 0.55   ? PaintedShape::Kind::ellipse
           : u < 0.93 ? PaintedShape::Kind::box
                      : PaintedShape::Kind::half_plane;
  const std::uint64_t soft = random.below(10);
  s.level = soft < 3 ? 0 : soft < 7 ? 1 : 2;
  s.x = random.uniform(0, width);
  s.y = random.uniform(0, height);
  random_direction(s.ux, s.uy, random);
  const double large = 0.5 * std::min(width, height);
  s.a = large / (1 + random.uniform(0, 12) * random.uniform());
  s.b = s.a * random.uniform(0.12, 1);
  const double contrast = random.uniform() * random.uniform();  // most edges are faint
  s.light = static_cast<int>((random.below(2) ? 110 : -110) * contrast * kOneLevel);
  s.blue = static_cast<int>(random.uniform(-26, 26) * random.uniform() * kOneLevel);
  s.red = static_cast<int>(random.uniform(-26, 26) * random.uniform() * kOneLevel);
  s.slope_x = static_cast<int>(random.uniform(-50, 50) * kOneLevel);
  s.slope_y = static_cast<int>(random.uniform(-50, 50) * kOneLevel);
  // Smooth things (a wall, the sky, skin) and rough ones (leaves, gravel), a factor of 1/8 to 2.5
  // around plain.
  const double rough = random.uniform();
  s.roughness = static_cast<int>(8 + 152 * rough * rough);
  return s;
}

Run covered(const PaintedShape& s, int level, int y, int width) {
  const double scale = 1 << level;
  const double dy = (y + 0.5) * scale - s.y;
  const Interval x = run_of(s, dy);
  if (x.low > x.high) return {};
  const double low = std::clamp((x.low + s.x) / scale, 0.0, static_cast<double>(width));
  const double high = std::clamp((x.high + s.x) / scale, 0.0, static_cast<double>(width));
  return {static_cast<int>(low + 0.5), static_cast<int>(high + 0.5)};
}

void draw_light(const PaintedShape& s, Plane& plane, int level) {
  for (int y = 0; y < plane.height; ++y) {
    const Run run = covered(s, level, y, plane.width);
    if (run.begin >= run.end) continue;
    std::int16_t* row = plane.row(y);
    const int down = static_cast<int>(((y << level) - s.y) * s.slope_y / 256) + s.light;
    int across = static_cast<int>(((run.begin << level) - s.x) * s.slope_x);
    const int step = s.slope_x << level;
    for (int x = run.begin; x < run.end; ++x, across += step) {
      row[x] = static_cast<std::int16_t>((row[x] >> 1) + down + (across >> 8));
    }
  }
}

void draw_colour(const PaintedShape& s, Plane& blue, Plane& red, int level) {
  for (int y = 0; y < blue.height; ++y) {
    const Run run = covered(s, level, y, blue.width);
    std::int16_t* b = blue.row(y);
    std::int16_t* r = red.row(y);
    for (int x = run.begin; x < run.end; ++x) {
      b[x] = static_cast<std::int16_t>((b[x] >> 1) + s.blue);
      r[x] = static_cast<std::int16_t>((r[x] >> 1) + s.red);
    }
  }
}

void draw_roughness(const PaintedShape& s, Roughness& roughness) {
  for (int y = 0; y < roughness.height; ++y) {
    const Run run = covered(s, 3, y, roughness.width);
    if (run.begin < run.end) {
      std::fill(roughness.row(y) + run.begin, roughness.row(y) + run.end,
                static_cast<std::uint8_t>(s.roughness));
    }
  }
}

}  // namespace benchbench::synthesis
