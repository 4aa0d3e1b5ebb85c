#include "scenarios/decode/decoded_image.h"

#include <cstring>

namespace benchbench {
namespace {

// False where rows stop coming before the image is out.
bool take_rows(JpegDecoder& decoder, int height, std::size_t row_bytes, std::uint8_t* to) {
  for (int y = 0; y < height;) {
    const auto rows = decoder.next_rows();
    if (rows.empty()) return false;
    for (const std::uint8_t* row : rows)
      std::memcpy(to + static_cast<std::size_t>(y++) * row_bytes, row, row_bytes);
  }
  return true;
}

}  // namespace

std::optional<DecodedImage> DecodedImage::of(std::span<const std::byte> jpeg, JpegDecoder& decoder) {
  std::optional<DecodedImage> image;
  if (decoder.open(jpeg)) {
    image.emplace();
    image->width_ = decoder.width();
    image->height_ = decoder.height();
    const std::size_t row_bytes = static_cast<std::size_t>(image->width_) * JpegDecoder::kPixelBytes;
    image->pixels_.resize(row_bytes * static_cast<std::size_t>(image->height_) + JpegDecoder::kRowSlack);
    if (!decoder.start({0, 0, image->width_, image->height_}) ||
        !take_rows(decoder, image->height_, row_bytes, image->pixels_.data()))
      image.reset();
  }
  decoder.close();
  if (!decoder.trouble().clean()) image.reset();
  return image;
}

}  // namespace benchbench
