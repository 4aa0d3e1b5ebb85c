#include <catch2/catch.hpp>

#include "harness/core/digest.h"
#include "scenarios/formats/proto_wire.h"
#include "scenarios/formats/shards/tfrecord_example.h"
#include "scenarios/formats/shards/tfrecord_walk.h"
#include "tests/unit/formats/places.h"

namespace benchbench::test::tfrecord_format {
namespace {

using Catch::Contains;

std::string framed(const std::string& data) {
  return tfrecord::head_of(data.size()) + data + tfrecord::tail_of(crc32c(data));
}

std::string feature(const std::string& key, std::uint32_t kind, const std::string& list) {
  std::string value, entry, wrapped;
  proto::put_bytes(value, kind, list);
  proto::put_bytes(entry, 1, key);
  proto::put_bytes(entry, 2, value);
  proto::put_bytes(wrapped, 1, entry);
  return wrapped;
}

std::string text_feature(const std::string& key, const std::string& text) {
  std::string list;
  proto::put_bytes(list, 1, text);
  return feature(key, 1, list);
}

std::string number_feature(const std::string& key, std::uint64_t number, bool packed = true) {
  std::string list, digits;
  proto::put_varint(digits, number);
  if (packed)
    proto::put_bytes(list, 1, digits);
  else
    proto::put_number(list, 1, number);
  return feature(key, 3, list);
}

std::string example(const std::string& features) {
  std::string bytes;
  proto::put_bytes(bytes, 1, features);
  return bytes;
}

std::string opening_error(const TestFolder& folder, const std::string& bytes) {
  return error_opening("tfrecord", folder.put("x.tfrecord", bytes));
}

TEST_CASE("tfrecord: the most exact feature counts, packed numbers or not", "[unit][formats]") {
  const TestFolder folder;
  const std::string path = folder.put(
      "train-00000-of-00001",
      framed(example(text_feature("image", "wrong") + text_feature("image/encoded", "right") +
                     number_feature("label", 9) + number_feature("image/class/label", 3, false) +
                     text_feature("image/filename", "a/b.jpg"))) +
          framed(example(number_feature("cls", 1) + text_feature("jpeg", "two"))));
  const auto archive = open_archive("tfrecord", path);
  CHECK(listing_of(*archive) == "a/b.jpg:3 train-00000-of-00001/00000001.jpg:1");
  CHECK(payload_of(*archive, 0) == "right");
  CHECK(payload_of(*archive, 1) == "two");
}

TEST_CASE("tfrecord: features that the user names count, and no others", "[unit][formats]") {
  const TestFolder folder;
  const std::string path = folder.put(
      "x.tfrecord", framed(example(text_feature("image/encoded", "customary") +
                                   text_feature("img_bytes", "named") + number_feature("label", 9) +
                                   number_feature("cls", 3) + text_feature("file", "a/b.jpg"))));
  const auto open = [&](const ColumnNames& columns) {
    return open_archive("tfrecord", path, columns);
  };
  for (int i = 0; i < 2; ++i) {  // the second time from the kept index, each by its own
    const auto named = open(named_columns("img_bytes", "cls", "file"));
    CHECK(listing_of(*named) == "a/b.jpg:3");
    CHECK(payload_of(*named, 0) == "named");
    const auto customary = open({});
    CHECK(listing_of(*customary) == "x/00000000.jpg:9");
    CHECK(payload_of(*customary, 0) == "customary");
  }
  const std::string features =
      "in the record; its features: image/encoded (bytes), img_bytes (bytes), label (int64), cls "
      "(int64), file (bytes)";
  CHECK_THAT(error_opening("tfrecord", path, named_columns("img")),
             Contains("no feature 'img' of one image " + features));
  CHECK_THAT(error_opening("tfrecord", path, named_columns("", "file")),
             Contains("no feature 'file' of one whole number " + features));
  CHECK_THAT(error_opening("tfrecord", path, named_columns("", "", "cls")),
             Contains("no feature 'cls' of one text " + features));
}

TEST_CASE("tfrecord: what is missing is said with the features that are there", "[unit][formats]") {
  const TestFolder folder;
  const std::string said = opening_error(
      folder, framed(example(text_feature("tokens", "x") + number_feature("label", 1))));
  CHECK_THAT(said, Contains("no image in the record; its features: tokens (bytes), label (int64)"));
  CHECK_THAT(said, Contains("image/encoded"));
  CHECK_THAT(opening_error(
                 folder, framed(example(text_feature("image", "x") + number_feature("label", 1))) +
                             framed(example(text_feature("image", "x")))),
             Contains("has no class"));
  CHECK(open_archive("tfrecord",
                     folder.put("none.tfrecord", framed(example(text_feature("image", "x")))))
            ->remark() == kNoLabels);
}

TEST_CASE("tfrecord: a folder says what else it holds, but for what is named after a shard",
          "[unit][formats]") {
  const TestFolder folder;
  folder.put("set/a.tfrecord",
             framed(example(text_feature("image", "x") + number_feature("label", 1))));
  folder.put("set/a.tfrecord.idx");
  CHECK(open_archive("tfrecord", folder.at("set"))->remark().empty());
  folder.put("set/labels.txt");
  CHECK(open_archive("tfrecord", folder.at("set"))->remark() ==
        "passed over 1 file that is not a TFRecord file: 1 .txt");
}

TEST_CASE("tfrecord: lengths that lie, cuts and other files are told with the byte",
          "[unit][formats]") {
  const TestFolder folder;
  const std::string whole =
      framed(example(text_feature("image", std::string(700, 'x')) + number_feature("label", 1)));
  for (std::size_t size = 1; size < whole.size(); size += 37) {
    INFO("cut at " << size);
    CHECK_THAT(opening_error(folder, whole + whole.substr(0, size)), Contains("truncated"));
  }
  CHECK_THAT(opening_error(folder, tfrecord::head_of(~std::uint64_t{0}) + "xxxxxxxx"),
             Contains("truncated"));
  CHECK_THAT(opening_error(folder, tfrecord::head_of(~std::uint64_t{0} - 20) + "xxxxxxxx"),
             Contains("truncated"));
  CHECK_THAT(opening_error(folder, "\x1f\x8bxxxxxxxxxxxxxxxxx"), Contains("gzip"));
  CHECK_THAT(opening_error(folder, std::string(64, 'x')), Contains("this is not a TFRecord file"));
  CHECK_THAT(opening_error(folder, framed("\x0a\x7f")), Contains("not a tf.train.Example"));
}

TEST_CASE("tfrecord: a flipped bit anywhere in a record is found when it is read",
          "[unit][formats]") {
  const TestFolder folder;
  const std::string whole =
      framed(example(text_feature("image", "hello") + number_feature("label", 1)));
  const std::string path = folder.put("x.tfrecord", whole);
  const auto archive = open_archive("tfrecord", path);
  const auto runtime = make_real_runtime();
  NullMeter meter;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string flipped = whole;
    flipped[at] = static_cast<char>(flipped[at] ^ 0x10);
    folder.put("x.tfrecord", flipped);
    INFO("at " << at);
    CHECK_THROWS_AS(archive->reader(*runtime)->read(0, 0, meter), PartError);
  }
}

}  // namespace
}  // namespace benchbench::test::tfrecord_format
