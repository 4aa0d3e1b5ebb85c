// JPEG bytes of a picture: baseline, 4:2:0, the standard Huffman tables, as cameras and web sites write them.
#pragma once
#include <cstddef>
#include <functional>
#include <span>

#include "scenarios/synthesis/picture.h"

namespace benchbench::synthesis {

// Hands the bytes to `sink` once, valid during the call only. PartError with libjpeg's own words where it
// fails.
void write_jpeg(const Picture& picture, int quality,
                const std::function<void(std::span<const std::byte>)>& sink);

}  // namespace benchbench::synthesis
