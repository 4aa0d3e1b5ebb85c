#include <sys/stat.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>

#include "harness/core/digest.h"
#include "harness/store/series_file.h"
#include "tests/unit/store/folder.h"

namespace benchbench::store_tests {

std::vector<std::int64_t> counted(std::size_t n) {
  std::vector<std::int64_t> values(n);
  std::iota(values.begin(), values.end(), -5);
  return values;
}

TEST_CASE("series: of more than 100,000 steps the least and the most of neighbours are kept",
          "[unit][store]") {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "series");
  for (const std::string name : {"step", "get_blocked"}) {
    std::vector<std::int64_t> values(250001, 10);
    values[77773] = 900;
    values[77776] = 1;
    values[250000] = 800;
    const SeriesFile series = write_series(folder.path(), 3, name, values);
    CHECK(series.kept_every == 3);
    CHECK(series.length <= kMaxSeriesValues);
    const auto back = read_series(folder.path(), series);
    // Neighbourhoods of 6: both lie in that from 77,772 on.
    REQUIRE(back.size() == 2 * 41667);
    CHECK(back[2 * 12962] == 900);
    CHECK(back[2 * 12962 + 1] == 1);
    CHECK(back.back() == 800);
    CHECK(std::ranges::count(back, 10) == static_cast<std::ptrdiff_t>(back.size()) - 3);
  }
}

TEST_CASE("series: all values up to 100,000, of probes then every k-th, and the record says so",
          "[unit][store]") {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "series");
  for (const auto& [n, kept_every] :
       {std::pair{0u, 1u}, {1u, 1u}, {100000u, 1u}, {100001u, 2u}, {300000u, 3u}, {300001u, 4u}}) {
    const auto values = counted(n);
    const SeriesFile series = write_series(folder.path(), 7, "probe_memory", values);
    INFO(n);
    CHECK(series.kept_every == kept_every);
    CHECK(series.length == (n + kept_every - 1) / kept_every);
    const auto back = read_series(folder.path(), series);
    REQUIRE(back.size() == series.length);
    for (std::size_t i = 0; i < back.size(); ++i) {
      if (back[i] != values[i * kept_every]) FAIL("value " << i);
    }
  }
}

TEST_CASE("series: little-endian 64 bit, with the checksum of the bytes", "[unit][store]") {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "series");
  const std::int64_t values[] = {1, -2};
  const SeriesFile series = write_series(folder.path(), 0, "step", values);
  const std::string bytes = bytes_of(folder / "series/0-step.bin");
  CHECK(bytes == std::string("\1\0\0\0\0\0\0\0\xfe\xff\xff\xff\xff\xff\xff\xff", 16));
  CHECK(series.crc32c == crc32c(bytes));
}

TEST_CASE("series: a short, damaged, absent or foreign file is told by name", "[unit][store]") {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "series");
  const SeriesFile series = write_series(folder.path(), 0, "step", counted(10));
  const std::string file = folder / "series/0-step.bin", bytes = bytes_of(file);
  put(file, bytes.substr(0, 79));
  CHECK(complaint_of([&] { read_series(folder.path(), series); }).find("0-step.bin has 79 bytes") !=
        std::string::npos);
  std::string damaged = bytes;
  damaged[40] ^= 1;
  put(file, damaged);
  CHECK(complaint_of([&] { read_series(folder.path(), series); }).find("0-step.bin is damaged") !=
        std::string::npos);
  std::filesystem::remove(file);
  CHECK(complaint_of([&] { read_series(folder.path(), series); }).find("No such file") !=
        std::string::npos);
  // It is waited for if nothing is said in the time that a test may take.
  REQUIRE(::mkfifo(file.c_str(), 0600) == 0);
  CHECK(complaint_of([&] {
          read_series(folder.path(), series);
        }).find("0-step.bin is not a regular file") != std::string::npos);
  CHECK(complaint_of([&] {
          write_series(folder.path(), 0, "step", counted(1));
        }).find("cannot create") != std::string::npos);
  SeriesFile elsewhere = series;
  for (const char* path : {"../../etc/passwd", "series/../../x", "/etc/passwd", "series/"}) {
    elsewhere.file = path;
    CHECK(complaint_of([&] { read_series(folder.path(), elsewhere); }).find("must be in series/") !=
          std::string::npos);
  }
  CHECK_FALSE(complaint_of([&] { write_series(folder.path(), 0, "../x", counted(1)); }).empty());
}

}  // namespace benchbench::store_tests
