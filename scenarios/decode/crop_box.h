// Which part of an image becomes a training sample, drawn as torchvision draws it.
#pragma once
#include <cstdint>

#include "harness/core/random.h"
#include "scenarios/decode/region.h"

namespace benchbench {

struct CropRange {
  double scale_min = 0.08;  // of the image's area
  double scale_max = 1.0;
  double ratio_min = 3.0 / 4;  // width / height
  double ratio_max = 4.0 / 3;
};

// As torchvision.transforms.RandomResizedCrop.get_params: ten tries of area and log ratio, each
// uniform, then the largest central crop within the range of ratios. Draws only from `random`.
Region draw_random_resized_crop(int width, int height, const CropRange& range, Random& random);

// The size torchvision.transforms.Resize(shorter) gives an image.
struct ImageSize {
  int width = 0;
  int height = 0;
};
ImageSize resized_shorter_side(int width, int height, int shorter);

// Where torchvision.transforms.CenterCrop(crop) begins in a side of `length` >= crop.
int centre_crop_begin(int length, int crop);

}  // namespace benchbench
