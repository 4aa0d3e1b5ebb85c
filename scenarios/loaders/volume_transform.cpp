#include "scenarios/loaders/volume_transform.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "harness/core/random.h"

namespace benchbench {
namespace {

enum Stream : std::uint64_t { kCrop = 1, kFlip, kRotate, kSigma };

// Symmetric, adding up to 1; weights[0] is the middle.
void gauss(double sigma, std::vector<float>& weights) {
  weights.clear();
  double sum = 0;
  for (int i = 0; i <= static_cast<int>(std::ceil(3 * sigma)); ++i) {
    const double weight = std::exp(-0.5 * i * i / (sigma * sigma));
    sum += i == 0 ? weight : 2 * weight;
    weights.push_back(static_cast<float>(weight));
  }
  for (float& weight : weights) weight = static_cast<float>(weight / sum);
}

// Along the last axis: each line with its ends repeated.
void smooth_lines(const float* from, float* to, std::size_t lines, std::size_t length,
                  const std::vector<float>& weights, std::vector<float>& padded) {
  const std::size_t radius = weights.size() - 1;
  padded.resize(length + 2 * radius);
  for (std::size_t line = 0; line < lines; ++line, from += length, to += length) {
    std::fill_n(padded.begin(), radius, from[0]);
    std::memcpy(padded.data() + radius, from, length * sizeof(float));
    std::fill_n(padded.end() - static_cast<std::ptrdiff_t>(radius), radius, from[length - 1]);
    const float* middle = padded.data() + radius;
    for (std::size_t i = 0; i < length; ++i) to[i] = middle[i] * weights[0];
    for (std::size_t k = 1; k <= radius; ++k) {
      const float* left = middle - k;
      const float* right = middle + k;
      for (std::size_t i = 0; i < length; ++i) to[i] += (left[i] + right[i]) * weights[k];
    }
  }
}

// Along an axis whose neighbours are `stride` apart: whole runs of `stride` values at once.
void smooth_across(const float* from, float* to, std::size_t blocks, std::size_t length,
                   std::size_t stride, const std::vector<float>& weights) {
  const auto row = [&](const float* block, std::ptrdiff_t i) {
    return block + static_cast<std::size_t>(
                       std::clamp<std::ptrdiff_t>(i, 0, static_cast<std::ptrdiff_t>(length) - 1)) *
                       stride;
  };
  for (std::size_t block = 0; block < blocks;
       ++block, from += length * stride, to += length * stride) {
    for (std::ptrdiff_t i = 0; i < static_cast<std::ptrdiff_t>(length); ++i) {
      float* out = to + static_cast<std::size_t>(i) * stride;
      const float* middle = row(from, i);
      for (std::size_t x = 0; x < stride; ++x) out[x] = middle[x] * weights[0];
      for (std::ptrdiff_t k = 1; k < static_cast<std::ptrdiff_t>(weights.size()); ++k) {
        const float* before = row(from, i - k);
        const float* after = row(from, i + k);
        const float weight = weights[static_cast<std::size_t>(k)];
        for (std::size_t x = 0; x < stride; ++x) out[x] += (before[x] + after[x]) * weight;
      }
    }
  }
}

}  // namespace

// Crop, mirrors and quarter turns are one walk over the volume with steps of either sign.
template <class T>
void VolumeMaker::cut(const std::byte* volume, std::uint64_t seed, float* to) const {
  Random crop(mix_seed(seed, kCrop)), flip(mix_seed(seed, kFlip)), rotate(mix_seed(seed, kRotate));
  const std::int64_t strides[3] = {plan_.from[1] * plan_.from[2], plan_.from[2], 1};
  std::int64_t step[3], at = 0;
  for (int axis = 0; axis < 3; ++axis) {
    at += static_cast<std::int64_t>(
              crop.below(static_cast<std::uint64_t>(plan_.from[axis] - plan_.patch[axis] + 1))) *
          strides[axis];
    const bool mirrored = flip.uniform() < plan_.flip;
    if (mirrored) at += (plan_.patch[axis] - 1) * strides[axis];
    step[axis] = mirrored ? -strides[axis] : strides[axis];
  }
  const bool turns = rotate.uniform() < plan_.rotate;
  if (turns && plan_.patch[1] != plan_.patch[2]) {  // only half a turn keeps its shape
    for (const int axis : {1, 2}) {
      at += (plan_.patch[axis] - 1) * step[axis];
      step[axis] = -step[axis];
    }
  } else if (turns) {
    // (y, x) shows what was at (x, n-1-y).
    for (std::uint64_t quarters = 1 + rotate.below(3); quarters > 0; --quarters) {
      at += (plan_.patch[2] - 1) * step[2];
      step[1] = -std::exchange(step[2], step[1]);
    }
  }
  const float scale = 1 / (plan_.max - plan_.min);
  for (std::int64_t z = 0; z < plan_.patch[0]; ++z) {
    for (std::int64_t y = 0; y < plan_.patch[1]; ++y, to += plan_.patch[2]) {
      const std::byte* line =
          volume + (at + z * step[0] + y * step[1]) * static_cast<std::int64_t>(sizeof(T));
      for (std::int64_t x = 0; x < plan_.patch[2]; ++x) {
        T value;
        std::memcpy(&value, line + x * step[2] * static_cast<std::int64_t>(sizeof(T)),
                    sizeof value);
        to[x] = std::clamp((static_cast<float>(value) - plan_.min) * scale, 0.f, 1.f);
      }
    }
  }
}

void VolumeMaker::smooth(float* voxels, double sigma) {
  const std::size_t d = static_cast<std::size_t>(plan_.patch[0]),
                    h = static_cast<std::size_t>(plan_.patch[1]),
                    w = static_cast<std::size_t>(plan_.patch[2]);
  other_.resize(d * h * w);
  gauss(sigma, weights_);
  smooth_lines(voxels, other_.data(), d * h, w, weights_, padded_);
  smooth_across(other_.data(), voxels, d, h, w, weights_);
  smooth_across(voxels, other_.data(), 1, d, h * w, weights_);
  std::memcpy(voxels, other_.data(), other_.size() * sizeof(float));
}

void VolumeMaker::make(ByteSpan volume, std::uint64_t seed, float* to) {
  switch (plan_.stored) {
    case DType::uint8:
      cut<std::uint8_t>(volume.data(), seed, to);
      break;
    case DType::int16:
      cut<std::int16_t>(volume.data(), seed, to);
      break;
    case DType::uint16:
      cut<std::uint16_t>(volume.data(), seed, to);
      break;
    case DType::int32:
      cut<std::int32_t>(volume.data(), seed, to);
      break;
    case DType::int64:
      cut<std::int64_t>(volume.data(), seed, to);
      break;
    default:
      cut<float>(volume.data(), seed, to);
      break;
  }
  if (plan_.sigma <= 0) return;
  const double sigma =
      Random(mix_seed(seed, kSigma)).uniform(std::min(0.25, plan_.sigma), plan_.sigma);
  for (int pass = 0; pass < plan_.passes; ++pass) smooth(to, sigma);
}

}  // namespace benchbench
