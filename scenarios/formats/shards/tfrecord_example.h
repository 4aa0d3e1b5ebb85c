// TensorFlow's Example: a map of features, among them an encoded image, its class and its name.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "harness/part/loader.h"
#include "scenarios/formats/proto_wire.h"

namespace benchbench::tfrecord {

struct Example {
  bool has_image = false;
  std::uint64_t image_begin = 0, image_size = 0;  // in the bytes that were parsed
  std::optional<std::int64_t> label;
  std::optional<std::string> name;
};

// [begin, end) of `bytes`. A feature that `columns` names is the only one that counts; of several
// customary ones the most exact does: image/encoded before image, image/class/label before label.
// `image_only`: label and name are not looked for. Throws Malformed.
Example parse_example(LookedBytes& bytes, std::uint64_t begin, std::uint64_t end,
                      const ColumnNames& columns = {}, bool image_only = false);
// "image/format (bytes), label (int64)", for messages; at most 16.
std::string features_of(LookedBytes& bytes, std::uint64_t begin, std::uint64_t end);
// What is looked for, for hints.
std::string customary_features();

// The Example up to the image's `image_bytes` bytes, which come last: image/class/label,
// image/filename, image/encoded.
std::string example_head(std::string_view name, std::int64_t label, std::uint64_t image_bytes);

}  // namespace benchbench::tfrecord
