#include "harness/dataset/conversion.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "harness/core/error.h"
#include "tests/unit/dataset/places.h"

namespace benchbench::test::conversion {
namespace {

const std::atomic<bool> kGoOn{false}, kStop{true};

Converted convert(const std::string& from_format, const std::string& from,
                  const std::string& to_format, const std::string& to,
                  const std::atomic<bool>& stop = kGoOn) {
  return convert_dataset(
      {from_format, from, to_format, to}, built_in_catalog(),
      [](ConversionPhase, std::uint64_t, std::uint64_t, std::uint64_t) {}, stop);
}

std::string photos(const TemporaryFolder& place) {
  for (int i = 0; i < 9; ++i)
    write_text(
        place.path("photos/class" + std::to_string(i % 3) + "/" + std::to_string(i) + ".jpg"),
        std::string(100 + 50 * i, 'a'));
  return place.path("photos");
}

TEST_CASE("conversion: round the formats and back, all samples are as they were",
          "[unit][dataset]") {
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

TEST_CASE("conversion: nothing is written over, and nothing is left of what did not end",
          "[unit][dataset]") {
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

// As a conversion leaves it that is killed behind the writing: the data, and the mark that nobody
// has read them.
std::string unproven(const TemporaryFolder& place, const std::string& from) {
  const std::string to = place.path("x.tar"), mark = place.path("mark");
  bool told = false;
  convert_dataset(
      {"image_folder", from, "tar", to}, built_in_catalog(),
      [&](ConversionPhase, std::uint64_t, std::uint64_t, std::uint64_t) {
        if (std::filesystem::exists(to + ".unproven"))
          told = true,
          std::filesystem::copy_file(to + ".unproven", mark,
                                     std::filesystem::copy_options::overwrite_existing);
      },
      kGoOn);
  REQUIRE(told);
  CHECK_FALSE(std::filesystem::exists(to + ".unproven"));
  std::filesystem::rename(mark, to + ".unproven");
  return to;
}

TEST_CASE("conversion: one that was killed behind the writing is proven when it is asked for again",
          "[unit][dataset]") {
  const TemporaryFolder place;
  const std::string from = photos(place), to = unproven(place, from);
  const auto written = std::filesystem::last_write_time(to);
  const Converted again = convert("image_folder", from, "tar", to);
  CHECK(again.was_there);
  CHECK(again.samples == 9);
  CHECK(again.bytes == 9 * 100 + 50 * 36);
  CHECK(std::filesystem::last_write_time(to) == written);
  CHECK_FALSE(std::filesystem::exists(to + ".unproven"));
  CHECK_THROWS_WITH(convert("image_folder", from, "tar", to),
                    Catch::Matchers::Contains("already exists"));
}

TEST_CASE(
    "conversion: one that was killed and holds other samples is removed; "
    "one of another source stays",
    "[unit][dataset]") {
  const TemporaryFolder place;
  const std::string from = photos(place), to = unproven(place, from);
  std::filesystem::copy(from, place.path("others"), std::filesystem::copy_options::recursive);
  CHECK_THROWS_WITH(convert("image_folder", place.path("others"), "tar", to),
                    Catch::Matchers::Contains("already exists"));
  CHECK(std::filesystem::exists(to));
  write_text(from + "/class1/4.jpg", std::string(300, 'b'));
  CHECK_THROWS_WITH(convert("image_folder", from, "tar", to),
                    Catch::Matchers::Contains("did not survive a round trip"));
  CHECK_FALSE(std::filesystem::exists(to));
  CHECK_FALSE(std::filesystem::exists(to + ".unproven"));
}

}  // namespace
}  // namespace benchbench::test::conversion
