#include <catch2/catch.hpp>
#include <filesystem>

#include "harness/core/random.h"
#include "tests/unit/formats/places.h"

namespace benchbench::test::lmdb_format {
namespace {

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
    CHECK(error_of([&] { open_archive("lmdb", folder.at("cut.mdb")); }).find("cut") !=
          std::string::npos);
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

}  // namespace
}  // namespace benchbench::test::lmdb_format
