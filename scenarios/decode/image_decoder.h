// An encoded image of either kind, JPEG or PNG, -> RGBX rows of the part that is needed.
#pragma once
#include <cstdint>
#include <span>

#include "harness/core/byte_span.h"
#include "scenarios/decode/jpeg_decoder.h"
#include "scenarios/decode/png_decoder.h"

namespace benchbench {

// The calls of JpegDecoder, which says what they do. An image is a PNG where it begins as one, else
// a JPEG: what is neither is refused in libjpeg's words.
class ImageDecoder {
 public:
  static constexpr int kPixelBytes = JpegDecoder::kPixelBytes;
  static constexpr int kRowSlack = JpegDecoder::kRowSlack;

  explicit ImageDecoder(JpegDecoder::Huffman by = JpegDecoder::Huffman::ours) : jpeg_(by) {}

  bool open(ByteSpan image) {
    is_png_ = PngDecoder::begins(image);
    return is_png_ ? png_.open(image) : jpeg_.open(image);
  }
  int width() const noexcept { return is_png_ ? png_.width() : jpeg_.width(); }
  int height() const noexcept { return is_png_ ? png_.height() : jpeg_.height(); }
  // True if it is a JPEG that other decoders take as well.
  bool is_common_jpeg() const noexcept { return !is_png_ && jpeg_.is_common(); }
  // True if start_reduced() takes a reduction other than 1.
  bool can_reduce() const noexcept { return !is_png_; }
  bool start(Region region) { return start_reduced(region, 1); }
  bool start_reduced(Region region, int reduction) {
    return is_png_ ? png_.start(region) : jpeg_.start_reduced(region, reduction);
  }
  RowPointers next_rows() { return is_png_ ? png_.next_rows() : jpeg_.next_rows(); }
  void close() { is_png_ ? png_.close() : jpeg_.close(); }
  const DecodeProblem& problem() const noexcept {
    return is_png_ ? png_.problem() : jpeg_.problem();
  }

 private:
  JpegDecoder jpeg_;
  PngDecoder png_;
  bool is_png_ = false;
};

}  // namespace benchbench
