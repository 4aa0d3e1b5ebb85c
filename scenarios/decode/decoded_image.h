// A whole image as pixels in memory.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "harness/core/byte_span.h"
#include "scenarios/decode/image_decoder.h"

namespace benchbench {

// R, G, B and one byte without meaning, row by row as ImageDecoder gives them. Behind the last row
// lies its slack.
class DecodedImage {
 public:
  // nullopt where the decoder has anything to complain of.
  static std::optional<DecodedImage> of(ByteSpan image, ImageDecoder& decoder);
  // Becomes the image of these packed R, G, B bytes; keeps its memory.
  void take_rgb(ByteSpan rgb, int width, int height);

  int width() const noexcept { return width_; }
  int height() const noexcept { return height_; }
  const std::uint8_t* pixel(int x, int y) const noexcept {
    return pixels_.data() + (static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) +
                             static_cast<std::size_t>(x)) *
                                ImageDecoder::kPixelBytes;
  }
  std::size_t bytes() const noexcept { return pixels_.size(); }

 private:
  int width_ = 0, height_ = 0;
  std::vector<std::uint8_t> pixels_;
};

}  // namespace benchbench
