#include "scenarios/formats/shards/tfrecord_example.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace benchbench::tfrecord {
namespace {

using proto::Message;
using proto::Wire;

// The most exact first.
constexpr std::array<std::string_view, 9> kImageNames = {
    "image/encoded", "image_raw", "image",     "jpeg",      "jpg",
    "image_bytes",   "encoded",   "image/raw", "image_jpeg"};
constexpr std::array<std::string_view, 7> kLabelNames = {
    "image/class/label", "label", "cls", "class", "image/label", "target", "label_id"};
constexpr std::array<std::string_view, 6> kNameNames = {
    "image/filename", "name", "filename", "image/name", "__key__", "image/key/sha256"};
constexpr int kNone = 1000;

template <std::size_t N>
int rank_in(const std::array<std::string_view, N>& names, std::string_view named,
            std::string_view key) {
  if (!named.empty()) return key == named ? 0 : kNone;
  const auto found = std::ranges::find(names, key);
  return found == names.end() ? kNone : static_cast<int>(found - names.begin());
}

enum Kind : std::uint32_t { nothing = 0, byte_texts = 1, floats = 2, integers = 3 };
constexpr std::string_view kKinds[] = {"empty", "bytes", "float", "int64"};

struct Feature {
  std::string key;
  Kind kind = nothing;
  std::uint64_t begin = 0, size = 0;  // of its list
};

Feature feature_of(Message entry) {
  Feature feature;
  while (entry.next()) {
    if (entry.is(1, Wire::bytes)) {
      feature.key = entry.text();
    } else if (entry.is(2, Wire::bytes)) {
      Message value = entry.inside();
      while (value.next()) {
        if (value.wire() != Wire::bytes || value.field() < 1 || value.field() > 3) continue;
        feature.kind = static_cast<Kind>(value.field());
        feature.begin = value.begin();
        feature.size = value.size();
      }
    }
  }
  return feature;
}

template <class Use>
void for_each_feature(LookedBytes& bytes, std::uint64_t begin, std::uint64_t end, Use use) {
  Message example(bytes, begin, end);
  while (example.next()) {
    if (!example.is(1, Wire::bytes)) continue;
    Message features = example.inside();
    while (features.next()) {
      if (features.is(1, Wire::bytes)) use(feature_of(features.inside()));
    }
  }
}

// The only value of a list of bytes.
std::optional<Message> only_text(LookedBytes& bytes, const Feature& feature) {
  if (feature.kind != byte_texts) return std::nullopt;
  Message list(bytes, feature.begin, feature.begin + feature.size);
  std::optional<Message> found;
  while (list.next()) {
    if (!list.is(1, Wire::bytes)) continue;
    if (found) return std::nullopt;
    found = list;
  }
  return found;
}

// The only value of a list of integers, packed or not.
std::optional<std::int64_t> only_integer(LookedBytes& bytes, const Feature& feature) {
  if (feature.kind != integers) return std::nullopt;
  Message list(bytes, feature.begin, feature.begin + feature.size);
  std::optional<std::int64_t> found;
  const auto take = [&](std::uint64_t value) {
    const bool first = !found;
    found = static_cast<std::int64_t>(value);
    return first;
  };
  while (list.next()) {
    if (list.is(1, Wire::varint) && !take(list.number())) return std::nullopt;
    if (!list.is(1, Wire::bytes)) continue;
    const std::uint64_t end = list.begin() + list.size();
    for (std::uint64_t at = list.begin(); at < end;) {
      if (!take(proto::varint_at(bytes, at, end))) return std::nullopt;
    }
  }
  return found;
}

// One entry of the map: a feature with one value whose bytes are `value`, of which `missing` more
// follow.
std::string entry_of(std::string_view key, Kind kind, std::string value,
                     std::uint64_t missing = 0) {
  const auto wrap = [&](std::uint32_t field, const std::string& inner) {
    std::string outer;
    proto::put_head(outer, field, inner.size() + missing);
    return outer + inner;
  };
  std::string entry;
  proto::put_bytes(entry, 1, key);
  entry += wrap(2, wrap(kind, value));
  return wrap(1, entry);
}

}  // namespace

Example parse_example(LookedBytes& bytes, std::uint64_t begin, std::uint64_t end,
                      const ColumnNames& columns, bool image_only) {
  Example found;
  int image = kNone, label = kNone, name = kNone;  // the ranks of what was found
  for_each_feature(bytes, begin, end, [&](const Feature& feature) {
    if (const int rank = rank_in(kImageNames, columns.image, feature.key); rank < image)
      if (const auto one = only_text(bytes, feature)) {
        image = rank;
        found.has_image = true;
        found.image_begin = one->begin();
        found.image_size = one->size();
      }
    if (image_only) return;
    if (const int rank = rank_in(kLabelNames, columns.label, feature.key); rank < label)
      if (const auto one = only_integer(bytes, feature)) label = rank, found.label = one;
    if (const int rank = rank_in(kNameNames, columns.name, feature.key); rank < name)
      if (const auto one = only_text(bytes, feature)) name = rank, found.name = one->text();
  });
  return found;
}

std::string features_of(LookedBytes& bytes, std::uint64_t begin, std::uint64_t end) {
  std::string text;
  int count = 0;
  for_each_feature(bytes, begin, end, [&](const Feature& feature) {
    if (++count <= 16)
      text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", feature.key.substr(0, 60),
                          kKinds[feature.kind]);
  });
  if (count > 16) text += fmt::format(" and {} more", count - 16);
  return text.empty() ? "none" : text;
}

std::string customary_features() {
  return fmt::format(
      "images are expected in {}, classes in {}; or name them: dataset.columns: {{image: NAME}}",
      fmt::join(kImageNames, ", "), fmt::join(kLabelNames, ", "));
}

std::string example_head(std::string_view name, std::int64_t label, std::uint64_t image_bytes) {
  std::string packed, label_list, name_list, image_list;
  proto::put_varint(packed, static_cast<std::uint64_t>(label));
  proto::put_bytes(label_list, 1, packed);
  proto::put_bytes(name_list, 1, name);
  proto::put_head(image_list, 1, image_bytes);
  const std::string features = entry_of("image/class/label", integers, label_list) +
                               entry_of("image/filename", byte_texts, name_list) +
                               entry_of("image/encoded", byte_texts, image_list, image_bytes);
  std::string example;
  proto::put_head(example, 1, features.size() + image_bytes);
  return example + features;
}

}  // namespace benchbench::tfrecord
