// JPEG bytes of a picture: baseline, 4:2:0, the standard Huffman tables, as cameras and web sites
// write them.
#pragma once
#include <cstdint>
#include <span>

#include "harness/part/sample_format.h"
#include "scenarios/synthesis/picture.h"

namespace benchbench::synthesis {

// Hands the bytes to `sink` once, valid during the call only. PartError with libjpeg's own words
// where it fails.
void write_jpeg(const Picture& picture, int quality, const PayloadSink& sink);
// Of packed R, G, B rows, width * height * 3 bytes; sides of 1 to 65,500.
struct RgbPicture {
  int width = 0;
  int height = 0;
  std::span<const std::uint8_t> pixels;
};
void write_jpeg(const RgbPicture& picture, int quality, const PayloadSink& sink);

}  // namespace benchbench::synthesis
