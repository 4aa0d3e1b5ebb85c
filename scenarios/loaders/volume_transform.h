// A random patch of a volume and what is done to it: the CPU work of a medical pipeline, in one
// place.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "harness/core/byte_span.h"
#include "harness/part/tensor.h"

namespace benchbench {

// Names as MONAI has them. The result is float32 [1, d, h, w].
struct VolumePlan {
  DType stored = DType::int16;
  std::int64_t from[3] = {};   // the volume's depth, height, width
  std::int64_t patch[3] = {};  // RandSpatialCrop: at most the volume's
  double flip = 0.5;           // RandFlip: for each axis
  // RandRotate90, in the plane of a slice; of patches that are no squares by half a turn.
  double rotate = 0.5;
  float min = -1000, max = 1000;  // ScaleIntensityRange: to 0..1, cut there
  double sigma = 1;               // RandGaussianSmooth: drawn from 0.25 up to this; 0: none
  int passes = 1;                 // of the smoothing
  std::size_t elements() const noexcept {
    return static_cast<std::size_t>(patch[0] * patch[1] * patch[2]);
  }
};

// One thread's; keeps its memory.
class VolumeMaker {
 public:
  explicit VolumeMaker(const VolumePlan& plan) : plan_(plan) {}
  // `volume` holds the elements of plan.from; `to` has plan.elements(). Chance is that of `seed`
  // alone.
  void make(ByteSpan volume, std::uint64_t seed, float* to);

 private:
  template <class T>
  void cut(const std::byte* volume, std::uint64_t seed, float* to) const;
  void smooth(float* voxels, double sigma);

  VolumePlan plan_;
  std::vector<float> other_, weights_, padded_;
};

}  // namespace benchbench
