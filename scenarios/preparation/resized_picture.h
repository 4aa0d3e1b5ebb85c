// A stored JPEG or PNG -> packed R, G, B bytes with another shorter side, whole or its centre.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "harness/core/byte_span.h"
#include "scenarios/decode/crop_box.h"
#include "scenarios/decode/decoded_image.h"
#include "scenarios/decode/resize_axis.h"

namespace benchbench::preparation {

// One thread's; keeps its memory. The same kernels in the same order as RowMaker's: the centre is,
// byte for byte, the row that a loader makes with resize = center_crop = size.
class ResizedPicture {
 public:
  enum class Part { whole, centre };  // centre: [size, size]

  // False where the image cannot be decoded without complaint, or its longer side would be more
  // than a JPEG file can have.
  bool make(ByteSpan encoded, int size, Part part);
  int width() const noexcept { return across_.count(); }
  int height() const noexcept { return down_.count(); }
  std::span<const std::uint8_t> pixels() const noexcept { return pixels_; }

 private:
  void plan(ImageSize from, ImageSize to, int size, Part part);
  void resize(const DecodedImage& image);

  ImageDecoder decoder_;
  ResizeAxis across_, down_;
  std::vector<std::uint8_t> narrowed_;  // the rows needed, resized across
  std::vector<std::uint8_t> pixels_;
};

}  // namespace benchbench::preparation
