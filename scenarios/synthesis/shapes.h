// The things in a picture: ellipses, boxes and half-planes with hard edges, each with its own
// brightness, colour and texture. Geometry is in doubles with + - × ÷ sqrt only (this folder is
// built without fused multiply-add), so that a shape covers the same pixels on every machine.
#pragma once

#include "harness/core/random.h"
#include "scenarios/synthesis/planes.h"

namespace benchbench::synthesis {

struct PaintedShape {
  enum class Kind : std::uint8_t { ellipse, box, half_plane };
  Kind kind = Kind::ellipse;
  int level = 0;          // drawn into the picture halved `level` times: how soft its edge will be
  double x = 0, y = 0;    // centre, in pixels of the full picture
  double ux = 1, uy = 0;  // its long axis, of length 1
  double a = 1, b = 1;    // half axes
  int light = 0, blue = 0, red = 0;  // added to the planes, in plane units
  int slope_x = 0, slope_y = 0;      // brightness across it, plane units per 256 pixels
  int roughness = Roughness::kPlain;
};

PaintedShape random_shape(int width, int height, Random& random);

// Pixels [begin, end) of row y that the shape covers, in a plane that is the full picture halved
// `level` times.
struct Run {
  int begin = 0;
  int end = 0;
};
Run covered(const PaintedShape& shape, int level, int y, int width);

// Half of what is there stays, `light` (or a colour) is added. The gradient goes into brightness
// only.
void draw_light(const PaintedShape& shape, Plane& plane, int level);
void draw_colour(const PaintedShape& shape, Plane& blue, Plane& red, int level);
void draw_roughness(const PaintedShape& shape, Roughness& roughness);

}  // namespace benchbench::synthesis
