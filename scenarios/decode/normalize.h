// Bytes -> floats as ImageNet models expect them: (value / 255 - mean) / deviation, per channel.
#pragma once
#include <cstdint>

#include "harness/part/tensor.h"

namespace benchbench {

inline constexpr auto& kImageNetMean = kImageNet.mean;
inline constexpr auto& kImageNetDeviation = kImageNet.deviation;

// `values` bytes of packed R, G, B, a whole number of pixels. Within 1e-6 of the formula.
void normalize_imagenet(const std::uint8_t* from, float* to, int values);
void normalize_imagenet_plain(const std::uint8_t* from, float* to, int values);

}  // namespace benchbench
