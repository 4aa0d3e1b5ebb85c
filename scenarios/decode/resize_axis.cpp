#include "scenarios/decode/resize_axis.h"

#include <algorithm>
#include <cmath>

namespace benchbench {

void ResizeAxis::plan(int in, int out, int first, int count, bool mirrored) {
  plan_stretch(0, in, in, out, first, count, mirrored);
}

void ResizeAxis::plan_stretch(double begin, double end, int in, int out, int first, int count,
                              bool mirrored) {
  const double scale = (end - begin) / out;
  const double reach = std::max(scale, 1.0);  // half the triangle's base, in input pixels
  taps_ = (static_cast<int>(std::ceil(reach)) * 2 + 1 + 1) / 2 * 2;
  const auto outputs = static_cast<std::size_t>(count);
  begins_.resize(outputs);
  used_.resize(outputs);
  exact_.resize(static_cast<std::size_t>(taps_));
  weights_.assign(outputs * static_cast<std::size_t>(taps_), 0);
  min_ = in;
  max_ = 0;
  for (int i = 0; i < count; ++i) {
    weigh(mirrored ? count - 1 - i : i, begin + (first + i + 0.5) * scale, reach, 1.0 / reach,
          begin, end);
  }
  int widest = 2;
  for (const int used : used_) widest = std::max(widest, used);
  const int tight = (widest + 1) / 2 * 2;
  if (tight < taps_) {  // the bound of above is rarely met; fewer taps are less work
    for (std::size_t i = 0; i < outputs; ++i) {
      std::copy_n(weights_.data() + i * static_cast<std::size_t>(taps_), tight,
                  weights_.data() + i * static_cast<std::size_t>(tight));
    }
    taps_ = tight;
  }
}

void ResizeAxis::weigh(int i, double centre, double reach, double scale, double min, double max) {
  const int begin =
      std::max(static_cast<int>(min), static_cast<int>(std::max(0.0, centre - reach + 0.5)));
  const int end =
      std::min(static_cast<int>(std::ceil(max)), static_cast<int>(centre + reach + 0.5));
  const auto used = static_cast<std::size_t>(end - begin);
  double sum = 0;
  for (std::size_t k = 0; k < used; ++k) {
    exact_[k] = std::max(
        0.0, 1.0 - std::abs((static_cast<double>(begin) + static_cast<double>(k) + 0.5 - centre) *
                            scale));
    const double pixel = static_cast<double>(begin) + static_cast<double>(k);
    exact_[k] *= std::min(pixel + 1, max) - std::max(pixel, min);
    sum += exact_[k];
  }
  std::int16_t* weight =
      weights_.data() + static_cast<std::size_t>(i) * static_cast<std::size_t>(taps_);
  const double unit = kWeightOne / sum;
  int total = 0;
  std::size_t heaviest = 0;
  for (std::size_t k = 0; k < used; ++k) {
    weight[k] = static_cast<std::int16_t>(exact_[k] * unit + 0.5);
    total += weight[k];
    if (weight[k] > weight[heaviest]) heaviest = k;
  }
  weight[heaviest] = static_cast<std::int16_t>(weight[heaviest] + kWeightOne - total);
  begins_[static_cast<std::size_t>(i)] = begin;
  used_[static_cast<std::size_t>(i)] = end - begin;
  min_ = std::min(min_, begin);
  max_ = std::max(max_, end);
}

}  // namespace benchbench
