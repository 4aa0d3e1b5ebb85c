// Files of numpy and h5py read by us, and ours by them, where a python3 with both is at hand
// (BENCHBENCH_PYTHON names one).
#include <catch2/catch.hpp>
#include <cstdlib>
#include <cstring>

#include "tests/places.h"
#include "tests/skip.h"
#include "tests/unit/formats/places.h"

namespace benchbench::test::numpy_h5py {
namespace {

constexpr std::size_t kBytes = 240;
constexpr PayloadSpec kPayload{
    .data = DataKind::volume, .dtype = DType::int16, .row = {.extent = {4, 5, 6}, .rank = 3}};

// The first of the pythons that has both; empty where none has.
std::string python() {
  const char* named = std::getenv("BENCHBENCH_PYTHON");
  const char* home = std::getenv("HOME");
  for (const std::string& candidate :
       {std::string(named ? named : "python3"),
        std::string(home ? home : "") + "/.cache/benchbench/foreign/bin/python"}) {
    if (std::system((candidate + " -c 'import numpy, h5py' 2>/dev/null").c_str()) == 0)
      return candidate;
  }
  return {};
}

bool run(const std::string& python, const char* mode, const std::string& folder) {
  return std::system((python + " " + source_path("tests/unit/formats/numpy_h5py.py") + " " + mode +
                      " '" + folder + "'")
                         .c_str()) == 0;
}

TEST_CASE("numpy and h5py: their files are read by us, ours by them", "[unit][formats]") {
  const std::string program = python();
  if (program.empty())
    BENCHBENCH_SKIP("no python3 with numpy and h5py; set BENCHBENCH_PYTHON to one that has them");
  const TestFolder folder;
  REQUIRE(run(program, "write", folder.at("")));
  const std::string expected = bytes_of(folder.at("expected.bin"));
  REQUIRE(expected.size() == 12 * kBytes);
  const auto runtime = make_real_runtime();
  const auto check = [&](std::string_view format, const std::string& name) {
    INFO(format << ' ' << name);
    const auto archive = open_archive(format, folder.at(name));
    REQUIRE(archive->layout().samples == 12);
    CHECK(archive->payload() == kPayload);
    NullMeter meter;
    const auto reader = archive->reader(*runtime);
    for (SampleId id = 12; id-- > 0;)
      REQUIRE(std::memcmp(reader->read(id, 0, meter).payload.data(), expected.data() + id * kBytes,
                          kBytes) == 0);
    return archive->label_of(4);
  };
  check("npy", "npy");
  check("npz", "npz");
  check("npz", "npz_small");
  CHECK(check("npy", "all.npy") == 1);
  for (const char* libver : {"earliest", "v110"}) {
    for (const char* name :
         {"plain", "chunked", "gzip", "gzip_shuffle", "several", "split", "checked", "guessed"})
      CHECK(check("hdf5", std::string(name) + "_" + libver + ".h5") == 1);
  }
  check("hdf5_gzip", "growing.h5");

  const std::pair<const char*, const char*> ours[] = {{"hdf5_contiguous", "ours_contiguous.h5"},
                                                      {"hdf5_chunked", "ours_chunked.h5"},
                                                      {"hdf5_gzip", "ours_gzip.h5"},
                                                      {"npy", "ours_npy"},
                                                      {"npz", "ours_npz"},
                                                      {"npz_deflated", "ours_npz_small"},
                                                      {"npy", "ours_one.npy"}};
  for (const auto& [format, name] : ours) {
    const auto writer = built_in_catalog()
                            .maker(PartKind::sample_format, format)
                            .format.create({folder.at(name), 12, kPayload});
    for (std::size_t i = 0; i < 12; ++i) {
      const std::string file = (i < 10 ? "/0" : "/") + std::to_string(i) + ".npy";
      writer->add("c" + std::to_string(i % 3) + file, static_cast<std::int64_t>(i % 3),
                  std::as_bytes(std::span(expected).subspan(i * kBytes, kBytes)));
    }
    writer->finish();
  }
  REQUIRE(run(program, "read", folder.at("")));
  for (const auto& [format, name] : ours) {
    INFO(name);
    const std::string stem = std::string(name).substr(0, std::string(name).find('.'));
    CHECK(bytes_of(folder.at(stem + ".bin")) == expected);
  }
}

}  // namespace
}  // namespace benchbench::test::numpy_h5py
