#include "scenarios/decode/decoded_image.h"

#include <cstring>

namespace benchbench {
namespace {

// False where rows stop coming before the image is out.
bool take_rows(ImageDecoder& decoder, int height, std::size_t row_bytes, std::uint8_t* to) {
  for (int y = 0; y < height;) {
    const auto rows = decoder.next_rows();
    if (rows.empty()) return false;
    for (const std::uint8_t* row : rows)
      std::memcpy(to + static_cast<std::size_t>(y++) * row_bytes, row, row_bytes);
  }
  return true;
}

}  // namespace

std::optional<DecodedImage> DecodedImage::of(ByteSpan encoded, ImageDecoder& decoder) {
  std::optional<DecodedImage> image;
  if (decoder.open(encoded)) {
    image.emplace();
    image->width_ = decoder.width();
    image->height_ = decoder.height();
    const std::size_t row_bytes =
        static_cast<std::size_t>(image->width_) * ImageDecoder::kPixelBytes;
    image->pixels_.resize(row_bytes * static_cast<std::size_t>(image->height_) +
                          ImageDecoder::kRowSlack);
    if (!decoder.start({0, 0, image->width_, image->height_}) ||
        !take_rows(decoder, image->height_, row_bytes, image->pixels_.data()))
      image.reset();
  }
  decoder.close();
  if (!decoder.problem().clean()) image.reset();
  return image;
}

void DecodedImage::take_rgb(ByteSpan rgb, int width, int height) {
  static_assert(ImageDecoder::kPixelBytes == 4);
  width_ = width;
  height_ = height;
  const std::size_t pixels = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  pixels_.resize(4 * pixels + ImageDecoder::kRowSlack);
  std::uint8_t* to = pixels_.data();
  const std::byte* from = rgb.data();
  // Four bytes at a time: the one without meaning is the next pixel's. The last pixel has none
  // behind it.
  for (std::size_t i = 0; i + 1 < pixels; ++i) std::memcpy(to + 4 * i, from + 3 * i, 4);
  if (pixels > 0) std::memcpy(to + 4 * (pixels - 1), from + 3 * (pixels - 1), 3);
}

}  // namespace benchbench
