// JPEG files for the decoder's tests, made with libjpeg: noise and gradients, any size, sampling
// and colour space.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace benchbench::test {

struct JpegOrder {
  int width = 64;
  int height = 48;
  int components = 3;  // 1 grey, 3 YCbCr, 4 CMYK (with Adobe's mark) or YCCK
  // Sampling of the first component: 2x2 is 4:2:0, 2x1 4:2:2, 1x1 4:4:4, 1x2 4:4:0.
  int horizontal = 2;
  int vertical = 2;
  int quality = 90;
  bool progressive = false;
  bool ycck = false;
  bool rgb = false;  // stored as RGB, not YCbCr
  bool sixteen_bit_tables = false;
  int restart_rows = 0;
  bool own_codes = false;  // Huffman tables made for this image, not the standard's
  std::uint64_t seed = 1;
};

std::vector<std::byte> make_jpeg(const JpegOrder& order);

// Interleaved pixels, RGB, of a whole file decoded by libjpeg alone with nothing of ours; CMYK
// files as 4 raw values.
struct PlainImage {
  int width = 0;
  int height = 0;
  int channels = 0;
  std::vector<std::uint8_t> values;
};
PlainImage decode_whole(const std::vector<std::byte>& jpeg);

}  // namespace benchbench::test
