// Caffe's Datum, the record most LMDB files of images hold.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "scenarios/formats/proto_wire.h"

namespace benchbench::lmdb {

struct Datum {
  std::uint64_t image_begin = 0, image_size = 0;  // in the bytes that were parsed
  std::optional<std::int64_t> label;  // of an image alone, and of a Datum without one: none
  std::string name;                   // of ours, where it is too long for a key
};

// The value in [begin, end): a Datum with an encoded image, or such an image alone. Throws
// Malformed.
Datum parse_datum(LookedBytes& bytes, std::uint64_t begin, std::uint64_t end);

// The Datum up to the image's `image_bytes` bytes, which come last. `name` is left out where it is
// empty.
std::string datum_head(std::int64_t label, std::string_view name, std::uint64_t image_bytes);

}  // namespace benchbench::lmdb
