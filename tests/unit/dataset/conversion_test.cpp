#include "harness/dataset/conversion.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "harness/core/error.h"
#include "tests/unit/dataset/places.h"

namespace benchbench::test::conversion {
namespace {

const std::atomic<bool> kGoOn{false}, kStop{true};

Converted convert(const std::string& from_format, const std::string& from, const std::string& to_format, const std::string& to,
                  const std::atomic<bool>& stop = kGoOn) {
  return convert_dataset({from_format, from, to_format, to}, built_in_catalog(),
                         [](ConversionPhase, std::uint64_t, std::uint64_t, std::uint64_t) {}, stop);
}

std::string photos(const TemporaryFolder& place) {
  for (int i = 0; i < 9; ++i)
    write_text(place.path("photos/class" + std::to_string(i % 3) + "/" + std::to_string(i) + ".jpg"), std::string(100 + 50 * i, 'a'));
  return place.path("photos");
}

TEST_CASE("conversion: round the formats and back, all samples are as they were", "[unit][dataset]") {
  const TemporaryFolder place;
  std::string from = photos(place), format = "image_folder";
  for (const std::string to_format : {"tar", "tfrecord", "mds", "lmdb", "hdf5", "image_folder"}) {
    const std::string to = place.path("as-" + to_format);
    const Converted converted = convert(format, from, to_format, to);
    CHECK(converted.samples == 9);
    CHECK(converted.bytes == 9 * 100 + 50 * 36);
    from = to;
    format = to_format;
  }
  CHECK(std::filesystem::file_size(from + "/class2/8.jpg") == 500);
}

TEST_CASE("conversion: nothing is written over, and nothing is left of what did not end", "[unit][dataset]") {
  const TemporaryFolder place;
  const std::string from = photos(place);
  write_text(place.path("there"), "mine");
  CHECK_THROWS_AS(convert("image_folder", from, "tar", place.path("there")), ScenarioError);
  CHECK(std::filesystem::file_size(place.path("there")) == 4);
  CHECK_THROWS_AS(convert("image_folder", from, "tar", place.path("new"), kStop), InterruptedError);
  CHECK_FALSE(std::filesystem::exists(place.path("new")));
  CHECK_THROWS_AS(convert("image_folder", from, "tokens", place.path("new")), ScenarioError);
  CHECK_THROWS_AS(convert("tar", place.path("nowhere"), "mds", place.path("new")), ScenarioError);
  CHECK_FALSE(std::filesystem::exists(place.path("new")));
}

}  // namespace
}  // namespace benchbench::test::conversion
