#include "tests/unit/decode/jpeg_making.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include <jpeglib.h>

#include "harness/core/random.h"

namespace benchbench::test {
namespace {

// The waves of a picture, from tables: two calls of libm for each value took most of a test's time.
class Waves {
 public:
  explicit Waves(const JpegOrder& order) : offset_(2 * order.width) {
    sines_.resize(index(order.width * order.components + 3 * order.height + 1));
    for (std::size_t i = 0; i < sines_.size(); ++i)
      sines_[i] = 60 * std::sin(static_cast<double>(i) * 0.05);
    cosines_.resize(index(order.components));
    for (int channel = 0; channel < order.components; ++channel)
      for (int at = -offset_; at <= 5 * order.height; ++at)
        cosines_[index(channel)].push_back(50 * std::cos(at * 0.022 + channel));
  }
  double at(int x, int y, int channel) const {
    return sines_[index(x * (channel + 1) + 3 * y)] +
           cosines_[index(channel)][index(5 * y - 2 * x + offset_)];
  }

 private:
  static std::size_t index(int value) { return static_cast<std::size_t>(value); }
  int offset_;  // of 5 y - 2 x, which may be below 0
  std::vector<double> sines_;
  std::vector<std::vector<double>> cosines_;
};

std::uint8_t value_at(const JpegOrder& order, const Waves& waves, Random& random, int x, int y,
                      int channel) {
  const double slope = 255.0 * (channel == 1 ? y : x) / (order.width + order.height);
  const double edge = ((x / 13 + y / 17) % 2) * 40.0;
  const double value =
      40 + waves.at(x, y, channel) + slope * 0.5 + edge + 24 * (random.uniform() - 0.5);
  return static_cast<std::uint8_t>(std::clamp(value, 0.0, 255.0));
}

void choose(jpeg_compress_struct& file, const JpegOrder& order) {
  file.image_width = static_cast<JDIMENSION>(order.width);
  file.image_height = static_cast<JDIMENSION>(order.height);
  file.input_components = order.components;
  file.in_color_space = order.components == 1   ? JCS_GRAYSCALE
                        : order.components == 3 ? JCS_RGB
                                                : JCS_CMYK;
  jpeg_set_defaults(&file);
  if (order.rgb) jpeg_set_colorspace(&file, JCS_RGB);
  if (order.ycck) jpeg_set_colorspace(&file, JCS_YCCK);
  jpeg_set_quality(&file, order.quality, order.sixteen_bit_tables ? FALSE : TRUE);
  // Only these have a luma to keep.
  const bool subsampled = order.components == 3 ? !order.rgb : order.ycck;
  if (subsampled) {
    for (const int full : {0, 3}) {
      if (full >= order.components) break;
      file.comp_info[full].h_samp_factor = order.horizontal;
      file.comp_info[full].v_samp_factor = order.vertical;
    }
  }
  if (order.progressive) jpeg_simple_progression(&file);
  if (order.own_codes) file.optimize_coding = TRUE;
  file.restart_in_rows = order.restart_rows;
}

}  // namespace

std::vector<std::byte> make_jpeg(const JpegOrder& order) {
  jpeg_compress_struct file{};
  jpeg_error_mgr errors{};
  file.err = jpeg_std_error(&errors);
  jpeg_create_compress(&file);
  unsigned char* bytes = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&file, &bytes, &size);
  choose(file, order);
  jpeg_start_compress(&file, TRUE);
  Random random(order.seed);
  const Waves waves(order);
  std::vector<std::uint8_t> row(static_cast<std::size_t>(order.width) *
                                static_cast<std::size_t>(order.components));
  for (int y = 0; y < order.height; ++y) {
    for (int x = 0; x < order.width; ++x) {
      for (int c = 0; c < order.components; ++c) {
        row[static_cast<std::size_t>(x * order.components + c)] =
            value_at(order, waves, random, x, y, c);
      }
    }
    JSAMPROW pointer = row.data();
    jpeg_write_scanlines(&file, &pointer, 1);
  }
  jpeg_finish_compress(&file);
  jpeg_destroy_compress(&file);
  const auto* first = reinterpret_cast<const std::byte*>(bytes);
  std::vector<std::byte> made(first, first + size);
  std::free(bytes);
  return made;
}

PlainImage decode_whole(const std::vector<std::byte>& jpeg) {
  jpeg_decompress_struct file{};
  jpeg_error_mgr errors{};
  file.err = jpeg_std_error(&errors);
  jpeg_create_decompress(&file);
  jpeg_mem_src(&file, reinterpret_cast<const unsigned char*>(jpeg.data()), jpeg.size());
  jpeg_read_header(&file, TRUE);
  file.out_color_space = file.num_components == 4 ? JCS_CMYK : JCS_RGB;
  jpeg_start_decompress(&file);
  PlainImage image{static_cast<int>(file.output_width),
                   static_cast<int>(file.output_height),
                   file.output_components,
                   {}};
  const std::size_t stride = file.output_width * static_cast<std::size_t>(file.output_components);
  image.values.resize(stride * file.output_height);
  while (file.output_scanline < file.output_height) {
    JSAMPROW row = image.values.data() + file.output_scanline * stride;
    jpeg_read_scanlines(&file, &row, 1);
  }
  jpeg_finish_decompress(&file);
  jpeg_destroy_decompress(&file);
  return image;
}

}  // namespace benchbench::test
