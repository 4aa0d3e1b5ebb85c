// What lies at a path, by what the formats say of themselves.
#include <catch2/catch.hpp>
#include <set>

#include "tests/unit/dataset/places.h"

namespace benchbench::recognition_test {
namespace {

namespace fs = std::filesystem;
using test::TemporaryFolder;
using test::write_text;

std::string bytes(const char* text, std::size_t size) { return {text, size}; }

struct Lying {
  const char* file;  // written with `content`
  std::string content;
  const char* asked;  // the path that is asked about; "" = the file
  std::string format;
};

// A record of no bytes: its length, the masked CRC32C of that; nothing; the masked CRC32C of
// nothing.
const std::string kRecord = bytes("\0\0\0\0\0\0\0\0\x29\x03\x98\x07\xd8\xea\x82\xa2", 16);
const std::string kTar = std::string(257, 'x') + "ustar" + std::string(300, '\0');

std::string zip_of(const std::string& member) {
  return bytes("PK\x03\x04", 4) + std::string(22, '\0') + static_cast<char>(member.size()) +
         std::string(3, '\0') + member;
}

TEST_CASE("recognition: what lies at a path is told by its name or its first bytes",
          "[unit][dataset]") {
  const Lying kLying[] = {
      {"a.tar", "x", "", "tar"},
      {"b.hdf5", "x", "", "hdf5"},
      {"c.tfrecords", "", "", "tfrecord"},
      {"nameless-hdf5", "\x89HDF\r\n\x1a\n", "", "hdf5"},
      {"nameless-tar", kTar, "", "tar"},
      {"cut-tar", kTar.substr(0, 261), "", ""},
      {"nameless-parquet", "PAR1xxxxPAR1", "", "parquet"},
      // A signature goes before one that is further in.
      {"parquet-first", "PAR1" + kTar.substr(4), "", "parquet"},
      {"nameless-npy", "\x93NUMPY", "", "npy"},
      {"nameless-raw", "BBRAW001", "", "raw"},
      {"nameless-npz", zip_of("arr_0.npy"), "", "npz"},
      {"a-zip", zip_of("readme.txt"), "", ""},
      {"cut-zip", zip_of("arr_0.npy").substr(0, 29), "", ""},
      {"nameless-lmdb", std::string(16, '\0') + "\xDE\xC0\xEF\xBE", "", "lmdb"},
      {"nameless-record", kRecord, "", "tfrecord"},
      {"cut-record", kRecord.substr(0, 11), "", ""},
      {"stream.bin", "anything", "", "tokens"},
      {"array.bin", "\x93NUMPY", "", "npy"},  // a weak extension goes behind first bytes
      {"alone.jpg", "x", "", ""},
      {"notes.txt", "hello", "", ""},
      {"no-extension", "", "", ""},
      {"photos/cat/1.jpg", "x", "photos", "image_folder"},
      {"shards/a-000.tar", "x", "shards", "tar"},
      {"deep/below/a-000.tar", "x", "deep", "image_folder"},  // shards lie side by side
      {"streaming/index.json", "{}", "streaming", "mds"},
      {"caffe/data.mdb", "x", "caffe", "lmdb"},
      {"hub/train-00000-of-00002.parquet", "x", "hub", "parquet"},
      {"arrays/cat/1.npy", "x", "arrays", "npy"},
      {"packed/cat/1.npz", "x", "packed", "npz"},
      {"imagenet/train-00000-of-01024", kRecord, "imagenet", "tfrecord"},
      {"megatron/text.idx", bytes("MMIDIDX\0\0", 9), "megatron", "tokens"},
      {"one/a.h5", "x", "one", "image_folder"},  // no folder is such a format
      {"hidden/.a.tar", "x", "hidden", "image_folder"},
  };
  const TemporaryFolder place;
  for (const Lying& lying : kLying) {
    INFO(lying.file);
    write_text(place.path(lying.file), lying.content);
    CHECK(detect_format(place.path(*lying.asked ? lying.asked : lying.file), built_in_catalog()) ==
          lying.format);
  }
  write_text(place.path("imagenet/train-00000-of-01024.idx"), "0 16");  // DALI's, beside them
  CHECK(detect_format(place.path("imagenet"), built_in_catalog()) == "tfrecord");
}

TEST_CASE("recognition: a name alone tells files, not the folders they would lie in",
          "[unit][dataset]") {
  const auto told = [](const char* path) { return format_of_extension(path, built_in_catalog()); };
  CHECK(told("x/y.tar") == "tar");
  CHECK(told("y.h5") == "hdf5");
  CHECK(told("y.jpg").empty());
  CHECK(told("y.bin").empty());
  CHECK(told("tar").empty());
  CHECK(told("").empty());
  CHECK(format_called("webdataset", built_in_catalog()) == "tar");
  CHECK(format_called("", built_in_catalog()).empty());
  CHECK(format_called("webdatasets", built_in_catalog()) == "webdatasets");
}

// Names two formats' claims on the same word as one.
void take(std::multiset<std::string>& claims, const char* what, std::string_view word) {
  if (!word.empty()) claims.insert(std::string(what) + std::string(word));
}

TEST_CASE(
    "recognition: no two formats claim the same, and each kind of data has one standard format",
    "[unit][dataset]") {
  std::multiset<std::string> claims;
  for (const PartRow& row : built_in_catalog().rows()) {
    if (row.description->kind != PartKind::sample_format) continue;
    const OnDisk& d = row.description->on_disk;
    for (const std::string_view word : d.extensions) take(claims, "extension ", word);
    for (const std::string_view word : d.weak_extensions) take(claims, "extension ", word);
    take(claims, "signature ", d.signature);
    take(claims, "marker ", d.folder_marker);
    take(claims, "name ", d.alias);
    take(claims, "name ", row.description->name);
    if (d.standard_of.images) take(claims, "standard of ", "images");
    if (d.standard_of.pixels) take(claims, "standard of ", "pixels");
    if (d.standard_of.volumes) take(claims, "standard of ", "volumes");
    if (d.standard_of.tokens) take(claims, "standard of ", "tokens");
    INFO(row.description->name);
    CHECK((d.recognised_as.empty() ||
           built_in_catalog().find(PartKind::sample_format, d.recognised_as)));
  }
  for (const std::string& claim : claims) {
    INFO(claim);
    CHECK(claims.count(claim) == 1);
  }
  for (const char* kind : {"images", "pixels", "volumes", "tokens"})
    CHECK(claims.count(std::string("standard of ") + kind) == 1);
}

PayloadSpec some_payload(const Holds& holds) {
  if (holds.images) return {};
  if (holds.tokens) return {DataKind::tokens, DType::uint16, {}};
  return {DataKind::volume, DType::uint8, Shape{{2, 3, 4}, 3}};
}

TEST_CASE("recognition: what a format writes is taken for what it says", "[unit][dataset]") {
  const TemporaryFolder place;
  ::setenv("BENCHBENCH_CACHE", place.path("cache").c_str(), 1);
  int told = 0;
  for (const PartRow& row : built_in_catalog().rows()) {
    const OnDisk& d = row.description->on_disk;
    const bool tells =
        !d.extensions[0].empty() || !d.signature.empty() || d.begins || !d.folder_marker.empty();
    if (row.description->kind != PartKind::sample_format || !row.module.empty() ||
        (!tells && d.recognised_as.empty()))
      continue;
    // The name has no extension.
    const std::string path = place.path(std::string(row.description->name));
    const auto writer = row.maker.format.create({path, 1, some_payload(row.description->holds)});
    writer->add("n0/1.jpg", 0, std::vector<std::byte>(24));
    writer->finish();
    INFO(row.description->name);
    CHECK(detect_format(path, built_in_catalog()) ==
          (tells ? row.description->name : d.recognised_as));
    ++told;
  }
  ::unsetenv("BENCHBENCH_CACHE");
  CHECK(told >= 10);
}

}  // namespace
}  // namespace benchbench::recognition_test
