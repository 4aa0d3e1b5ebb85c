#include <algorithm>

#include "scenarios/decode/resize_kernels.h"

namespace benchbench {
namespace {

std::uint8_t to_byte(std::int32_t sum) {
  return static_cast<std::uint8_t>(std::clamp((sum + kWeightOne / 2) >> kWeightBits, 0, 255));
}

}  // namespace

void resize_across_plain(const ResizeAxis& axis, const std::uint8_t* from, std::uint8_t* to) {
  for (int i = 0; i < axis.count(); ++i, to += 3) {
    const std::uint8_t* pixel = from + std::ptrdiff_t{axis.begin(i)} * 4;
    std::int32_t sums[3] = {};
    for (int k = 0; k < axis.used(i); ++k, pixel += 4) {
      for (int channel = 0; channel < 3; ++channel)
        sums[channel] += axis.weights(i)[k] * pixel[channel];
    }
    for (int channel = 0; channel < 3; ++channel) to[channel] = to_byte(sums[channel]);
  }
}

void resize_down_plain(RowPointers rows, const std::int16_t* weights, std::uint8_t* to, int bytes) {
  for (int b = 0; b < bytes; ++b) {
    std::int32_t sum = 0;
    for (std::size_t k = 0; k < rows.size(); ++k) sum += weights[k] * rows[k][b];
    to[b] = to_byte(sum);
  }
}

}  // namespace benchbench
