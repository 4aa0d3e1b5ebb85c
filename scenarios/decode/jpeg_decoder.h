// JPEG bytes -> RGBX rows of the part of the image that is needed, through libjpeg-turbo.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "harness/core/byte_span.h"
#include "scenarios/decode/region.h"

namespace benchbench {

// What the decoder said of the last image.
struct DecodeProblem {
  bool failed = false;     // no usable pixels
  bool truncated = false;  // the data ends before the image does
  // Warnings of the decoder, e.g. damaged entropy-coded data: wrong pixels are likely.
  std::uint32_t warnings = 0;
  std::string_view words;  // of the failure, else of the first warning; valid until the next open()
  bool clean() const noexcept { return !failed && !truncated && warnings == 0; }
};

// One thread's decoder, used again for every image: open, start, next_rows until the region is out,
// close. Each call that returns false (or no rows) has set problem().failed; close() is then still
// to be called.
//
// Never calls exit() as libjpeg would, and no exception passes through it. Refuses before memory is
// asked for: images of more than 300 million channel values (100 megapixels of colour) and
// progressive files of more than 100 scans.
class JpegDecoder {
 public:
  static constexpr int kPixelBytes = 4;  // R, G, B and one byte without meaning
  static constexpr int kRowSlack = 64;   // bytes behind each row that may be read
  static constexpr std::uint64_t kMaxValues = 300'000'000;
  static constexpr int kMaxScans = 100;
  static constexpr int kBandRows = 16;  // next_rows() gives at most this many

  // Who decodes the Huffman codes of ordinary files (sequential, no restart marks): EntropyScan, or
  // the library as for all others. The pixels are the same.
  enum class Huffman { ours, library };

  explicit JpegDecoder(Huffman by = Huffman::ours);
  ~JpegDecoder();
  JpegDecoder(const JpegDecoder&) = delete;
  JpegDecoder& operator=(const JpegDecoder&) = delete;

  // Reads the header. `jpeg` must stay until close().
  bool open(ByteSpan jpeg);
  int width() const noexcept;
  int height() const noexcept;
  // True if the file is baseline or progressive grey or YCbCr: what other decoders take as well.
  bool is_common() const noexcept;
  // Prepares for the rows of `region`, which lies within the image. Pixels are those of a full
  // decode.
  bool start(Region region) { return start_reduced(region, 1); }
  // The same of the image made smaller by `reduction` (1, 2, 4, 8) in each direction as it leaves
  // the inverse transform: width() and height() divided and rounded up, within which `region` lies.
  // A pixel is near the average of the square that it stands for; at the right and lower edge
  // squares reach beyond the image.
  bool start_reduced(Region region, int reduction);
  // The next rows of the region, top to bottom: a pointer to the first pixel of each, valid until
  // the next call.
  RowPointers next_rows();
  void close();
  // Since start(): whose Huffman decoder is at work.
  Huffman huffman() const noexcept;
  const DecodeProblem& problem() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace benchbench
