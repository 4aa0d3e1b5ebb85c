// Decoding on a device (loader.decode.backend: nvjpeg): workers hand over stored images and say
// what is to become of each, and the device makes the rows of the batch.
#pragma once
#include <span>
#include <string_view>

#include "harness/part/tensor.h"

namespace benchbench {

class DeviceStream;

// What is to become of one image: a row of the batch that such a loader hands over, in the tensor
// "encoded" of uint8. It holds no address, so that equal batches have equal bytes.
struct EncodedImage {
  std::uint64_t bytes = 0;  // of the file; 0: there is no image, and its row is zeros
  std::int32_t width = 0, height = 0;
  // Not 0: workers have decoded it, into pixels of R, G, B and so many bytes in all.
  std::int32_t pixel_bytes = 0;
  // The part of it that is resized, in pixels, and the size that the part becomes. Row and column
  // `top` and `left` of the result are the first of the batch's row.
  std::int32_t x = 0, y = 0, box_width = 0, box_height = 0;
  std::int32_t result_width = 0, result_height = 0, left = 0, top = 0;
  std::int32_t mirrored = 0;  // 1: left and right change places, last of all
};

// Where its bytes are, and its name for messages.
struct EncodedFile {
  const std::byte* bytes = nullptr;
  std::string_view name;
};

constexpr TensorSpec encoded_tensor() noexcept {
  return {.name = "encoded", .dtype = DType::uint8, .row = {{sizeof(EncodedImage)}, 1}};
}

// Views of one batch; row i of all is of the same image.
struct DecodeJob {
  std::span<const EncodedImage> images;
  std::span<const EncodedFile> files;  // their bytes stay until the stream's work is done
  // Device memory: [N, size, size, 3], uint8 or float32.
  TensorView to;
  ImageNormalization by;  // of float32
};

struct DecodeFailure {
  std::size_t row = 0;
  std::string_view words;  // "NVJPEG_STATUS_BAD_JPEG"; valid as long as the decoder
};

// Made by an Accelerator, which outlives it. One thread, and one stream in all calls.
class DeviceDecoder {
 public:
  virtual ~DeviceDecoder() = default;
  // Puts the making of all rows on the stream. Returns what could not be decoded, whose rows are
  // zeros; valid until the next call. Throws DeviceError where the device refuses, PartError where
  // its memory is full.
  virtual std::span<const DecodeFailure> decode(DeviceStream& stream, const DecodeJob& job) = 0;
  // Says who decodes: "nvJPEG 13.0.4 decodes with 8 JPEG engines". Valid as long as the decoder.
  virtual std::string_view note() const = 0;
};

}  // namespace benchbench
