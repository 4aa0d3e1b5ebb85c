#include <catch2/catch.hpp>
#include <filesystem>

#include "harness/core/random.h"
#include "scenarios/formats/tables/lmdb_library.h"
#include "tests/unit/formats/places.h"

namespace benchbench::test::lmdb_format {
namespace {

using Catch::Contains;

std::vector<std::byte> picture(std::size_t size) {
  Random random(size);
  std::vector<std::byte> bytes(size);
  for (auto& byte : bytes) byte = static_cast<std::byte>(random.next());
  return bytes;
}

// 300 samples: a tree of several pages, values in leaves and in pages of their own.
std::string make(const TestFolder& folder) {
  const std::string path = folder.at("set");
  const auto writer = create_archive("lmdb", path);
  for (std::size_t i = 0; i < 300; ++i)
    writer->add("n/" + std::to_string(i) + ".jpg", static_cast<std::int64_t>(i % 7),
                picture(i * 31 % 9000));
  writer->finish();
  return path;
}

TEST_CASE("lmdb: the library and our own way read the same", "[unit][formats]") {
  const TestFolder folder;
  const auto archive = open_archive("lmdb", make(folder));
  const auto runtime = make_real_runtime();
  const auto ours = archive->reader(*runtime), theirs = archive->library_reader(*runtime);
  REQUIRE(theirs);
  NullMeter meter;
  for (SampleId id = 0; id < 300; ++id) {
    const StoredSample a = ours->read(id, 0, meter), b = theirs->read(id, 0, meter);
    REQUIRE(std::ranges::equal(a.payload, picture(id * 31 % 9000)));
    REQUIRE(std::ranges::equal(a.payload, b.payload));
    REQUIRE(a.label == static_cast<std::int64_t>(id % 7));
  }
  CHECK_FALSE(std::filesystem::exists(folder.at("set/lock.mdb")));
}

TEST_CASE("lmdb: a file that becomes shorter while it is read is an error in both ways",
          "[unit][formats]") {
  const TestFolder folder;
  const std::string path = make(folder);
  const auto archive = open_archive("lmdb", path);
  const auto runtime = make_real_runtime();
  const auto ours = archive->reader(*runtime), theirs = archive->library_reader(*runtime);
  std::filesystem::resize_file(path + "/data.mdb",
                               std::filesystem::file_size(path + "/data.mdb") / 4);
  NullMeter meter;
  CHECK_THROWS_AS(theirs->read(299, 0, meter), PartError);
  CHECK_THROWS_AS(
      [&] {
        for (SampleId id = 0; id < 300; ++id) ours->read(id, 0, meter);
      }(),
      PartError);
}

TEST_CASE("lmdb: what the library has read stays as it was when the file becomes shorter",
          "[unit][formats]") {
  const TestFolder folder;
  const std::string path = make(folder);
  const auto archive = open_archive("lmdb", path);
  const auto runtime = make_real_runtime();
  const auto theirs = archive->library_reader(*runtime);
  NullMeter meter;
  const StoredSample got = theirs->read(289, 0, meter);
  std::filesystem::resize_file(path + "/data.mdb", 4096);
  CHECK(std::ranges::equal(got.payload, picture(289 * 31 % 9000)));  // SIGBUS, were it the map's
}

TEST_CASE("lmdb: a cut or a flipped bit in the pages is told, never followed", "[unit][formats]") {
  const TestFolder folder;
  const std::string whole = bytes_of(make(folder) + "/data.mdb");
  for (const int percent : {98, 50, 10, 2}) {
    folder.put("cut.mdb", whole.substr(0, whole.size() * static_cast<std::size_t>(percent) / 100));
    CHECK_THAT(error_opening("lmdb", folder.at("cut.mdb")), Contains("cut"));
  }
  Random random(3);
  const auto runtime = make_real_runtime();
  NullMeter meter;
  // Most flips are in page heads, tables and nodes: those are followed.
  for (int i = 0; i < 400; ++i) {
    std::string flipped = whole;
    const std::size_t page = random.next() % (whole.size() / 4096) * 4096;
    const std::size_t at = page + random.next() % (i % 2 ? 256 : 4096);
    flipped[at] = static_cast<char>(flipped[at] ^ (1 << (random.next() % 8)));
    folder.put("flipped.mdb", flipped);
    try {
      const auto archive = open_archive("lmdb", folder.at("flipped.mdb"));
      const auto reader = archive->reader(*runtime);
      for (SampleId id = 0; id < archive->layout().samples; ++id) reader->read(id, 0, meter);
    } catch (const Error& error) {
      CHECK(std::string(error.message()).size() > 20);
    }
  }
}

const std::string kImage = "\xFF\xD8\xFF picture";

// Keys in rising order.
std::string put(const TestFolder& folder, const std::string& name,
                const std::vector<std::pair<std::string, std::string>>& values) {
  std::filesystem::create_directories(folder.at(name));
  lmdb::Writer writer(folder.at(name));
  for (const auto& [key, value] : values)
    value.copy(reinterpret_cast<char*>(writer.add(key, value.size()).data()), value.size());
  writer.finish();
  return folder.at(name);
}

TEST_CASE("lmdb: images and labels by themselves are joined by what their keys share",
          "[unit][formats]") {
  const TestFolder folder;
  const std::string four("\x05\0\0\0", 4), eight("\x06\0\0\0\0\0\0\0", 8);
  const std::string path = put(folder, "set",
                               {{"image-1", kImage},
                                {"image-2", kImage + "2"},
                                {"image-3", kImage + "33"},
                                {"label-1", "7\n"},
                                {"label-2", four},
                                {"label-3", eight},
                                {"num-samples", "3"}});
  const auto archive = open_archive("lmdb", path, named_columns("image-", "label-"));
  CHECK(listing_of(*archive) == "image-1:7 image-2:5 image-3:6");
  CHECK(archive->remark() == "passed over 1 key: num-samples");
  const auto runtime = make_real_runtime();
  const auto ours = archive->reader(*runtime), theirs = archive->library_reader(*runtime);
  NullMeter meter;
  for (SampleId id = 0; id < 3; ++id) {
    const auto payload = ours->read(id, 0, meter).payload;
    CHECK(payload.size() == kImage.size() + id);
    CHECK(std::ranges::equal(payload, theirs->read(id, 0, meter).payload));
  }
  // By their ends, with names.
  const std::string ends = put(folder, "ends",
                               {{"0.cls", "1"},
                                {"0.jpg", kImage},
                                {"0.txt", "dogs/a.jpg"},
                                {"1.cls", "0"},
                                {"1.jpg", kImage},
                                {"1.txt", "../b.jpg"}});
  CHECK(listing_of(*open_archive("lmdb", ends, named_columns(".jpg", ".cls", ".txt"))) ==
        "dogs/a.jpg:1 sample-00000001.jpg:0");
  CHECK(open_archive("lmdb", ends, named_columns(".jpg"))->remark() ==
        std::string(kNoLabels) + "; passed over 4 keys: 0.cls, 0.txt, 1.cls, ...");
  const std::string alone = put(folder, "alone", {{"a", kImage}, {"b", kImage}});
  CHECK(listing_of(*open_archive("lmdb", alone)) == "a:0 b:0");
  CHECK(open_archive("lmdb", alone)->remark() == kNoLabels);
}

TEST_CASE("lmdb: of keys that are named, what is missing or no number is an error",
          "[unit][formats]") {
  const TestFolder folder;
  int sets = 0;
  const auto error_with = [&](const std::string& label, const ColumnNames& columns) {
    const std::string path =
        put(folder, std::to_string(sets++), {{"image-1", kImage}, {"label-1", label}, {"x", "y"}});
    return error_opening("lmdb", path, columns);
  };
  const ColumnNames both = named_columns("image-", "label-");
  CHECK(error_with("1", both).empty());
  for (const char* label : {"-1", "one", " 5", "2147483648", ""})
    CHECK_THAT(error_with(label, both), Contains("the label is neither a number from 0"));
  CHECK_THAT(error_with("1", named_columns("image-", "kind-")),
             Contains("'image-1' has no label: no key is '1' with 'kind-' before or behind it"));
  CHECK_THAT(error_with("1", named_columns("img-", "label-")),
             Contains("no key begins or ends with 'img-'; its keys: image-1, x"));
  CHECK_THAT(error_with("1", named_columns("", "label-")), Contains("those of the images are not"));
}

TEST_CASE("lmdb: pickles and msgpack are refused by name", "[unit][formats]") {
  const TestFolder folder;
  const auto said = [&](const std::string& value, const std::string& name) {
    return error_opening("lmdb", put(folder, name, {{"0", value}}));
  };
  CHECK_THAT(said("\x80\x04\x95 object", "pickle"), Contains("is a pickle"));
  CHECK_THAT(said("\x82\xA5image", "map"), Contains("is msgpack"));
  CHECK_THAT(said("\x92\xC4\x10", "list"), Contains("is msgpack"));
  CHECK(said("BM a picture", "other").find("msgpack") == std::string::npos);
}

}  // namespace
}  // namespace benchbench::test::lmdb_format
