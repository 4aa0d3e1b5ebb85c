// One volume as a scanner sees it.
#pragma once
#include <cstdint>
#include <vector>

namespace benchbench::synthesis {

struct VolumeSize {
  int depth = 0, height = 0, width = 0;
};

// Paints the volume of `seed`, row-major, in Hounsfield units of -1024..3071: smooth tissue,
// ellipsoids of other densities in it, noise over all. Multiplications and additions alone, so that
// it is the same on every machine. Any thread.
void paint(std::uint64_t seed, VolumeSize size, std::vector<float>& voxels);

}  // namespace benchbench::synthesis
