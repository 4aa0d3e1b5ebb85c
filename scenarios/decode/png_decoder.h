// PNG bytes -> RGBX rows of the part of the image that is needed, through libspng.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "harness/core/byte_span.h"
#include "scenarios/decode/jpeg_decoder.h"
#include "scenarios/decode/region.h"

namespace benchbench {

// One thread's decoder, used again for every image, with the calls of JpegDecoder: open, start,
// next_rows until the region is out, close. Each call that returns false (or no rows) has set
// problem().failed.
//
// Pixels are those of Pillow's convert("RGB"): alpha is dropped, of 16 bits the high 8 count,
// palettes and grey of fewer bits become 8 bits; but grey of 16 bits is its high 8 bits here, and
// clipped there. Rows above the region are decoded and dropped, those below it are not decoded;
// what follows the last row needed is not checked. An interlaced image is decoded whole. Refuses
// before memory is asked for: images of more than JpegDecoder::kMaxValues channel values of colour,
// and chunks other than the image's of more than kMaxChunk bytes.
class PngDecoder {
 public:
  static constexpr std::size_t kMaxChunk = 16u << 20;

  // True if these are the bytes of a PNG, damaged or not.
  static bool begins(ByteSpan image) noexcept;

  PngDecoder();
  ~PngDecoder();
  PngDecoder(const PngDecoder&) = delete;
  PngDecoder& operator=(const PngDecoder&) = delete;

  // Reads the header. `png` must stay until close().
  bool open(ByteSpan png);
  int width() const noexcept;
  int height() const noexcept;
  // Prepares for the rows of `region`, which is within the image.
  bool start(Region region);
  // The next rows of the region, top to bottom: a pointer to the first pixel of each, valid until
  // the next call.
  RowPointers next_rows();
  void close();
  const DecodeProblem& problem() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace benchbench
