// PNG files for the decoder's tests, made without a library of images, and the pixels that they
// stand for.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace benchbench::test {

struct PngOrder {
  enum Colour { grey = 0, rgb = 2, palette = 3, grey_alpha = 4, rgb_alpha = 6 };
  int width = 37;
  int height = 23;
  Colour colour = rgb;
  int bits = 8;  // of a channel
  bool interlaced = false;
  std::string chunks;  // between the header and the pixels; see png_chunk()
  std::uint64_t seed = 1;
};

struct MadePng {
  std::vector<std::byte> file;
  std::vector<std::uint8_t> pixels;  // R, G, B; alpha dropped, 8 bits a channel
};

// Random values; rows are filtered in each of the five ways in turn.
MadePng make_png(const PngOrder& order);
std::string png_chunk(std::string_view type, std::string_view data);

}  // namespace benchbench::test
