// Bytes -> floats as ImageNet models expect them: (value / 255 - mean) / deviation, per channel.
#pragma once
#include <cstdint>

namespace benchbench {

inline constexpr float kImageNetMean[3] = {0.485f, 0.456f, 0.406f};
inline constexpr float kImageNetDeviation[3] = {0.229f, 0.224f, 0.225f};

// `values` bytes of packed R, G, B, a whole number of pixels. Within 1e-6 of the formula.
void normalize_imagenet(const std::uint8_t* from, float* to, int values);
void normalize_imagenet_plain(const std::uint8_t* from, float* to, int values);

}  // namespace benchbench
