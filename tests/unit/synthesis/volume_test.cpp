// Synthesised volumes: the same for a seed, of the size and element asked for, smooth under their
// noise.
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <vector>

#include "scenarios/synthesis/volume_field.h"

namespace benchbench::test::volume_synthesis {
namespace {

TEST_CASE("volumes: a seed gives the same voxels, another seed others", "[unit][synthesis]") {
  std::vector<float> a, b, c;
  const synthesis::VolumeSize size{17, 20, 33};
  synthesis::paint(1, size, a);
  synthesis::paint(2, size, b);
  synthesis::paint(1, size, c);
  REQUIRE(a.size() == 17 * 20 * 33);
  CHECK(a == c);
  CHECK(a != b);
  for (const float value : a) REQUIRE((value >= -1024 && value <= 3071));
}

TEST_CASE("volumes: neighbours are alike, places far apart are not", "[unit][synthesis]") {
  std::vector<float> voxels;
  synthesis::paint(5, {40, 40, 40}, voxels);
  double near = 0, far = 0;
  for (std::size_t i = 0; i + 21 * 1600 < voxels.size(); ++i) {
    near += std::abs(voxels[i] - voxels[i + 1]);
    far += std::abs(voxels[i] - voxels[i + 20 * 1600 + 17]);
  }
  CHECK(near * 2 < far);
  CHECK(near > 0);
}

}  // namespace
}  // namespace benchbench::test::volume_synthesis
