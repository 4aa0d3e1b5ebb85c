// Compiled once for each vector width that Highway knows on this CPU family; the dispatch table
// picks at run time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "scenarios/decode/resize_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "scenarios/decode/resize_kernels.h"

HWY_BEFORE_NAMESPACE();
namespace benchbench {
namespace HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR

void ResizeAcross(const ResizeAxis& axis, const std::uint8_t* from, std::uint8_t* to) {
  resize_across_plain(axis, from, to);
}
void ResizeAcrossTwo(const ResizeAxis& axis, const std::uint8_t* from_a, const std::uint8_t* from_b,
                     std::uint8_t* to_a, std::uint8_t* to_b) {
  resize_across_plain(axis, from_a, to_a);
  resize_across_plain(axis, from_b, to_b);
}
void ResizeDown(RowPointers rows, const std::int16_t* weights, std::uint8_t* to, int bytes) {
  resize_down_plain(rows, weights, to, bytes);
}

#else

namespace hn = hwy::HWY_NAMESPACE;

// Adds pair products: in each 32-bit lane, low half × low half + high half × high half.
template <class D32, class V16, class V32>
HWY_INLINE V32 add_pairs(D32 d32, V16 pixels, V16 weights, V32 sum, V32& rest) {
  return hn::ReorderWidenMulAccumulate(d32, pixels, weights, sum, rest);
}

// Two pixels of four channels become (r0 r1 g0 g1 b0 b1 x0 x1) in 16 bits each, so that one
// multiply-add takes both.
template <class D8>
HWY_INLINE auto pair_up(D8 d8) {
  alignas(16) static constexpr std::uint8_t kPairs[16] = {0, 128, 4, 128, 1, 128, 5, 128,
                                                          2, 128, 6, 128, 3, 128, 7, 128};
  return hn::Load(d8, kPairs);
}

// The axis's arrays, read once: a byte written may alias anything, so the compiler would fetch them
// for every pixel.
struct Taps {
  const std::int32_t* HWY_RESTRICT begins;
  const std::int32_t* HWY_RESTRICT used;
  const std::int16_t* HWY_RESTRICT weights;
  int taps;
  int count;
};

// Output pixels with kPairs pairs of taps each; 0: as many as each needs.
template <int kPairs>
HWY_INLINE void across(const Taps& axis, const std::uint8_t* HWY_RESTRICT from,
                       std::uint8_t* HWY_RESTRICT to) {
  const hn::FixedTag<std::uint8_t, 16> d8;
  const hn::FixedTag<std::int16_t, 8> d16;
  const hn::FixedTag<std::int32_t, 4> d32;
  const hn::FixedTag<std::uint8_t, 4> d8out;
  const auto pairs = pair_up(d8);
  const auto half = hn::Set(d32, kWeightOne / 2);
  const std::int16_t* HWY_RESTRICT weights = axis.weights;
  for (int i = 0; i < axis.count; ++i, to += 3, weights += axis.taps) {
    const std::uint8_t* pixel = from + std::ptrdiff_t{axis.begins[i]} * 4;
    auto sum = half;
    auto rest = hn::Zero(d32);
    const int needed = kPairs > 0 ? kPairs : (axis.used[i] + 1) / 2;
    for (int pair = 0; pair < needed; ++pair) {
      std::int32_t two_weights;
      hwy::CopyBytes<4>(weights + 2 * pair, &two_weights);
      const auto two = hn::TableLookupBytesOr0(hn::LoadU(d8, pixel + 8 * pair), pairs);
      sum = add_pairs(d32, hn::BitCast(d16, two), hn::BitCast(d16, hn::Set(d32, two_weights)), sum,
                      rest);
    }
    const auto pixel_sum = hn::ShiftRight<kWeightBits>(hn::RearrangeToOddPlusEven(sum, rest));
    hn::StoreU(hn::DemoteTo(d8out, pixel_sum), d8out, to);
  }
}

// A fixed number of taps halves the time. Up to ten, all pixels take as many: what lies beyond an
// edge has weight 0, and the row's slack holds it.
void ResizeAcross(const ResizeAxis& axis, const std::uint8_t* HWY_RESTRICT from,
                  std::uint8_t* HWY_RESTRICT to) {
  static_assert(kAcrossSlack >= (10 + 2) * 4);
  const Taps taps{axis.begins().data(), axis.used_all().data(), axis.weights(0), axis.taps(),
                  axis.count()};
  switch (taps.taps) {
    case 2:
      return across<1>(taps, from, to);
    case 4:
      return across<2>(taps, from, to);
    case 6:
      return across<3>(taps, from, to);
    case 8:
      return across<4>(taps, from, to);
    case 10:
      return across<5>(taps, from, to);
    default:
      return across<0>(taps, from, to);
  }
}

#if HWY_MAX_BYTES >= 32

// The upper half of each vector is the second row's: weights, and all but loads and stores, serve
// both.
template <int kPairs>
HWY_INLINE void across_two(const Taps& axis, const std::uint8_t* HWY_RESTRICT from_a,
                           const std::uint8_t* HWY_RESTRICT from_b, std::uint8_t* HWY_RESTRICT to_a,
                           std::uint8_t* HWY_RESTRICT to_b) {
  const hn::FixedTag<std::uint8_t, 32> d8;
  const hn::FixedTag<std::uint8_t, 16> d8half;
  const hn::FixedTag<std::int16_t, 16> d16;
  const hn::FixedTag<std::int32_t, 8> d32;
  const hn::FixedTag<std::uint8_t, 8> d8out;
  const hn::FixedTag<std::uint32_t, 2> dout;
  const auto pairs = hn::Combine(d8, pair_up(d8half), pair_up(d8half));
  const auto half = hn::Set(d32, kWeightOne / 2);
  const std::int16_t* HWY_RESTRICT weights = axis.weights;
  for (int i = 0; i < axis.count; ++i, to_a += 3, to_b += 3, weights += axis.taps) {
    const std::ptrdiff_t at = std::ptrdiff_t{axis.begins[i]} * 4;
    auto sum = half;
    auto rest = hn::Zero(d32);
    const int needed = kPairs > 0 ? kPairs : (axis.used[i] + 1) / 2;
    for (int pair = 0; pair < needed; ++pair) {
      std::int32_t two_weights;
      hwy::CopyBytes<4>(weights + 2 * pair, &two_weights);
      const auto both = hn::Combine(d8, hn::LoadU(d8half, from_b + at + 8 * pair),
                                    hn::LoadU(d8half, from_a + at + 8 * pair));
      sum = add_pairs(d32, hn::BitCast(d16, hn::TableLookupBytesOr0(both, pairs)),
                      hn::BitCast(d16, hn::Set(d32, two_weights)), sum, rest);
    }
    const auto pixels =
        hn::DemoteTo(d8out, hn::ShiftRight<kWeightBits>(hn::RearrangeToOddPlusEven(sum, rest)));
    const auto words = hn::BitCast(dout, pixels);
    const std::uint32_t a = hn::GetLane(words);
    const std::uint32_t b = hn::ExtractLane(words, 1);
    hwy::CopyBytes<4>(&a, to_a);
    hwy::CopyBytes<4>(&b, to_b);
  }
}

void ResizeAcrossTwo(const ResizeAxis& axis, const std::uint8_t* HWY_RESTRICT from_a,
                     const std::uint8_t* HWY_RESTRICT from_b, std::uint8_t* HWY_RESTRICT to_a,
                     std::uint8_t* HWY_RESTRICT to_b) {
  const Taps taps{axis.begins().data(), axis.used_all().data(), axis.weights(0), axis.taps(),
                  axis.count()};
  switch (taps.taps) {
    case 2:
      return across_two<1>(taps, from_a, from_b, to_a, to_b);
    case 4:
      return across_two<2>(taps, from_a, from_b, to_a, to_b);
    case 6:
      return across_two<3>(taps, from_a, from_b, to_a, to_b);
    case 8:
      return across_two<4>(taps, from_a, from_b, to_a, to_b);
    case 10:
      return across_two<5>(taps, from_a, from_b, to_a, to_b);
    default:
      return across_two<0>(taps, from_a, from_b, to_a, to_b);
  }
}

#else

void ResizeAcrossTwo(const ResizeAxis& axis, const std::uint8_t* from_a, const std::uint8_t* from_b,
                     std::uint8_t* to_a, std::uint8_t* to_b) {
  ResizeAcross(axis, from_a, to_a);
  ResizeAcross(axis, from_b, to_b);
}

#endif  // HWY_MAX_BYTES

template <class D32>
HWY_INLINE void down_lanes(D32 d32, RowPointers rows, const std::int16_t* weights, std::uint8_t* to,
                           int at) {
  const hn::Repartition<std::int16_t, D32> d16;
  const hn::RebindToUnsigned<D32> du32;
  const hn::Rebind<std::uint8_t, D32> d8;
  auto sum = hn::Set(d32, kWeightOne / 2);
  auto rest = hn::Zero(d32);
  std::size_t k = 0;
  for (; k + 1 < rows.size(); k += 2) {
    std::int32_t two_weights;
    hwy::CopyBytes<4>(weights + k, &two_weights);
    const auto upper = hn::PromoteTo(du32, hn::LoadU(d8, rows[k] + at));
    const auto lower = hn::PromoteTo(du32, hn::LoadU(d8, rows[k + 1] + at));
    const auto two = hn::BitCast(d16, hn::Or(upper, hn::ShiftLeft<16>(lower)));
    sum = add_pairs(d32, two, hn::BitCast(d16, hn::Set(d32, two_weights)), sum, rest);
  }
  if (k < rows.size()) {
    const auto last = hn::BitCast(d16, hn::PromoteTo(du32, hn::LoadU(d8, rows[k] + at)));
    sum = add_pairs(d32, last, hn::BitCast(d16, hn::Set(d32, std::int32_t{weights[k]})), sum, rest);
  }
  const auto bytes = hn::ShiftRight<kWeightBits>(hn::RearrangeToOddPlusEven(sum, rest));
  hn::StoreU(hn::DemoteTo(d8, bytes), d8, to + at);
}

void ResizeDown(RowPointers rows, const std::int16_t* weights, std::uint8_t* HWY_RESTRICT to,
                int bytes) {
  const hn::ScalableTag<std::int32_t> d32;
  const int lanes = static_cast<int>(hn::Lanes(d32));
  if (bytes < lanes) return resize_down_plain(rows, weights, to, bytes);
  int at = 0;
  for (; at + lanes <= bytes; at += lanes) down_lanes(d32, rows, weights, to, at);
  // Overlaps what is done: the same bytes again.
  if (at < bytes) down_lanes(d32, rows, weights, to, bytes - lanes);
}

#endif  // HWY_SCALAR

}  // namespace HWY_NAMESPACE
}  // namespace benchbench
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace benchbench {

HWY_EXPORT(ResizeAcross);
HWY_EXPORT(ResizeAcrossTwo);
HWY_EXPORT(ResizeDown);

void resize_across(const ResizeAxis& axis, const std::uint8_t* from, std::uint8_t* to) {
  HWY_DYNAMIC_DISPATCH(ResizeAcross)(axis, from, to);
}

void resize_across_two(const ResizeAxis& axis, const std::uint8_t* from_a,
                       const std::uint8_t* from_b, std::uint8_t* to_a, std::uint8_t* to_b) {
  HWY_DYNAMIC_DISPATCH(ResizeAcrossTwo)(axis, from_a, from_b, to_a, to_b);
}

void resize_down(RowPointers rows, const std::int16_t* weights, std::uint8_t* to, int bytes) {
  HWY_DYNAMIC_DISPATCH(ResizeDown)(rows, weights, to, bytes);
}

}  // namespace benchbench
#endif
