// One pixel of an antialiased bilinear resize, as the workers of a CPU make it: the same for the
// kernel and for its twin in tests.
#pragma once
#include <cmath>
#include <cstdint>

#include "harness/cuda/kernels/parameters.h"

#ifdef __CUDACC__
#define BENCHBENCH_DEVICE_TOO __host__ __device__
#else
#define BENCHBENCH_DEVICE_TOO
#endif

namespace benchbench::cuda {

// The input pixels of an axis that one output pixel is made of, [begin, end), and the triangle that
// weighs them: its middle, and 1 / half of its base.
struct Taps {
  int begin, end;
  float middle, slope;
};

BENCHBENCH_DEVICE_TOO inline Taps taps_for(int in, int out, int i) {
  const float scale = static_cast<float>(in) / static_cast<float>(out);
  const float reach = scale > 1 ? scale : 1;
  const float middle = (static_cast<float>(i) + 0.5f) * scale;
  const float first = middle - reach + 0.5f;
  const int last = static_cast<int>(middle + reach + 0.5f);
  return {first > 0 ? static_cast<int>(first) : 0, last < in ? last : in, middle, 1 / reach};
}

BENCHBENCH_DEVICE_TOO inline float weight_of(const Taps& taps, int pixel) {
  const float away = fabsf(static_cast<float>(pixel) + 0.5f - taps.middle) * taps.slope;
  return away < 1 ? 1 - away : 0;
}

// To the nearest, halves up, as workers do between the two axes and behind them.
BENCHBENCH_DEVICE_TOO inline float rounded(float value) { return floorf(value + 0.5f); }

// Adds `weight` times the row's own mean, of the pixels from `row` on, to rgb.
BENCHBENCH_DEVICE_TOO inline void add_row(const unsigned char* row, unsigned pixel,
                                          const Taps& across, float weight, float rgb[3]) {
  float sum[3] = {0, 0, 0}, weights = 0;
  for (int x = across.begin; x < across.end; ++x) {
    const float w = weight_of(across, x);
    const unsigned char* const p = row + static_cast<std::size_t>(x) * pixel;
    weights += w;
    for (int c = 0; c < 3; ++c) sum[c] += w * static_cast<float>(p[c]);
  }
  for (int c = 0; c < 3; ++c) rgb[c] += weight * rounded(sum[c] / weights);
}

// Pixel (column, row) of the row of a batch, 0 to 255 in whole numbers, of an image whose bytes are
// at `from`.
BENCHBENCH_DEVICE_TOO inline void resize_pixel(const ResizedImage& image, const unsigned char* from,
                                               int size, int column, int row, float rgb[3]) {
  const int at = image.left + (image.mirrored ? size - 1 - column : column);
  const Taps across = taps_for(image.width, image.result_width, at);
  const Taps down = taps_for(image.height, image.result_height, image.top + row);
  const unsigned char* const box = from + static_cast<std::size_t>(image.x) * image.pixel;
  float weights = 0;
  rgb[0] = rgb[1] = rgb[2] = 0;
  for (int y = down.begin; y < down.end; ++y) {
    const float w = weight_of(down, y);
    weights += w;
    add_row(box + static_cast<std::size_t>(image.y + y) * image.pitch, image.pixel, across, w, rgb);
  }
  for (int c = 0; c < 3; ++c) rgb[c] = rounded(rgb[c] / weights);
}

}  // namespace benchbench::cuda
