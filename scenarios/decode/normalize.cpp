#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "scenarios/decode/normalize.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "scenarios/decode/normalize.h"

#ifndef BENCHBENCH_NORMALIZE_ONCE
#define BENCHBENCH_NORMALIZE_ONCE
namespace benchbench {
// value * kScale + kShift is the formula with its constants gathered.
inline constexpr float kScale[3] = {1 / (255 * kImageNetDeviation[0]),
                                    1 / (255 * kImageNetDeviation[1]),
                                    1 / (255 * kImageNetDeviation[2])};
inline constexpr float kShift[3] = {-kImageNetMean[0] / kImageNetDeviation[0],
                                    -kImageNetMean[1] / kImageNetDeviation[1],
                                    -kImageNetMean[2] / kImageNetDeviation[2]};
}  // namespace benchbench
#endif

HWY_BEFORE_NAMESPACE();
namespace benchbench {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Three vectors hold a whole number of pixels whatever the width: their channel constants are kept
// in registers.
void Normalize(const std::uint8_t* HWY_RESTRICT from, float* HWY_RESTRICT to, int values) {
  const hn::CappedTag<float, 16> d;
  const hn::RebindToSigned<decltype(d)> d32;
  const hn::Rebind<std::uint8_t, decltype(d)> d8;
  const int lanes = static_cast<int>(hn::Lanes(d));
  alignas(64) float scales[48], shifts[48];
  for (int i = 0; i < 3 * lanes; ++i) {
    scales[i] = kScale[i % 3];
    shifts[i] = kShift[i % 3];
  }
  const auto scale0 = hn::Load(d, scales), scale1 = hn::Load(d, scales + lanes),
             scale2 = hn::Load(d, scales + 2 * lanes);
  const auto shift0 = hn::Load(d, shifts), shift1 = hn::Load(d, shifts + lanes),
             shift2 = hn::Load(d, shifts + 2 * lanes);
  const auto convert = [&](int at, auto scale, auto shift) HWY_ATTR {
    const auto bytes = hn::PromoteTo(d32, hn::LoadU(d8, from + at));
    hn::StoreU(hn::Add(hn::Mul(hn::ConvertTo(d, bytes), scale), shift), d, to + at);
  };
  int at = 0;
  for (; at + 3 * lanes <= values; at += 3 * lanes) {
    convert(at, scale0, shift0);
    convert(at + lanes, scale1, shift1);
    convert(at + 2 * lanes, scale2, shift2);
  }
  if (at < values) normalize_imagenet_plain(from + at, to + at, values - at);
}

}  // namespace HWY_NAMESPACE
}  // namespace benchbench
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace benchbench {

HWY_EXPORT(Normalize);

void normalize_imagenet(const std::uint8_t* from, float* to, int values) {
  HWY_DYNAMIC_DISPATCH(Normalize)(from, to, values);
}

void normalize_imagenet_plain(const std::uint8_t* from, float* to, int values) {
  for (int i = 0; i < values; ++i)
    to[i] = static_cast<float>(from[i]) * kScale[i % 3] + kShift[i % 3];
}

}  // namespace benchbench
#endif
