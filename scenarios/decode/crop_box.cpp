#include "scenarios/decode/crop_box.h"

#include <algorithm>
#include <cmath>

namespace benchbench {
namespace {

// Python's round(): halves to even, the rounding mode in force by default.
int rounded(double value) { return static_cast<int>(std::nearbyint(value)); }

Region central(int width, int height, const CropRange& range) {
  const double ratio = static_cast<double>(width) / height;
  int w = width;
  int h = height;
  if (ratio < range.ratio_min)
    h = std::clamp(rounded(width / range.ratio_min), 1, height);
  else if (ratio > range.ratio_max)
    w = std::clamp(rounded(height * range.ratio_max), 1, width);
  return {(width - w) / 2, (height - h) / 2, w, h};
}

}  // namespace

Region draw_random_resized_crop(int width, int height, const CropRange& range, Random& random) {
  const double area = static_cast<double>(width) * height;
  const double log_min = std::log(range.ratio_min);
  const double log_max = std::log(range.ratio_max);
  for (int attempt = 0; attempt < 10; ++attempt) {
    const double target = area * random.uniform(range.scale_min, range.scale_max);
    const double ratio = std::exp(random.uniform(log_min, log_max));
    const int w = rounded(std::sqrt(target * ratio));
    const int h = rounded(std::sqrt(target / ratio));
    if (w <= 0 || w > width || h <= 0 || h > height) continue;
    const int y = static_cast<int>(random.below(static_cast<std::uint64_t>(height - h + 1)));
    const int x = static_cast<int>(random.below(static_cast<std::uint64_t>(width - w + 1)));
    return {x, y, w, h};
  }
  return central(width, height, range);
}

ImageSize resized_shorter_side(int width, int height, int shorter) {
  const auto longer = [shorter](int length, int of) {
    return std::max(1, static_cast<int>(static_cast<double>(shorter) * length / of));
  };
  if (width <= height) return {shorter, longer(height, width)};
  return {longer(width, height), shorter};
}

int centre_crop_begin(int length, int crop) { return rounded((length - crop) / 2.0); }

}  // namespace benchbench
