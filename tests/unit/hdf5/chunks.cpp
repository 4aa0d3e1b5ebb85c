// Where chunks lie: found one at a time, in files of every kind of index, against what the library
// says.
#include <hdf5.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "harness/hdf5/chunk_finder.h"
#include "harness/hdf5/file.h"
#include "harness/hdf5/row_reader.h"
#include "tests/scratch_folder.h"

namespace benchbench::hdf5 {
namespace chunk_tests {

constexpr hsize_t kRows = 300;
constexpr hsize_t kRow = 500;

struct ChunkFile {
  std::string folder = test::make_scratch_folder("chunks");
  std::string path = folder + "/chunks.h5";
  ~ChunkFile() { std::filesystem::remove_all(folder); }
};

std::vector<std::uint8_t> row_of(std::uint64_t row) {
  std::vector<std::uint8_t> values(kRow);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<std::uint8_t>(row * 7 + i * i % 13);
  return values;
}

// Chunks of `rows` rows, written one row after the other.
void make(const std::string& path, bool newest, bool gzip, bool growing, hsize_t rows = 1,
          hsize_t user_block = 0) {
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS), create = H5Pcreate(H5P_FILE_CREATE);
  if (newest) H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
  H5Pset_userblock(create, user_block);
  const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, create, access);
  const hsize_t size[] = {kRows, kRow}, max[] = {H5S_UNLIMITED, kRow}, chunk[] = {rows, kRow};
  const hid_t space = H5Screate_simple(2, size, growing ? max : nullptr);
  const hid_t made = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_chunk(made, 2, chunk);
  if (gzip) H5Pset_deflate(made, 4);
  const hid_t data =
      H5Dcreate2(file, "/data", H5T_NATIVE_UINT8, space, H5P_DEFAULT, made, H5P_DEFAULT);
  for (hsize_t row = 0; row < kRows - 10; ++row) {  // the last ten are never written
    const hsize_t start[] = {row, 0}, block[] = {1, kRow};
    const hid_t here = H5Screate_simple(1, &kRow, nullptr);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, nullptr, block, nullptr);
    H5Dwrite(data, H5T_NATIVE_UINT8, here, space, H5P_DEFAULT, row_of(row).data());
    H5Sclose(here);
  }
  H5Dclose(data);
  H5Pclose(made);
  H5Sclose(space);
  H5Fclose(file);
  H5Pclose(create);
  H5Pclose(access);
}

std::string bytes_at(const std::string& path, std::uint64_t offset, std::uint64_t bytes) {
  std::ifstream file(path, std::ios::binary);
  file.seekg(static_cast<std::streamoff>(offset));
  std::string text(bytes, '\0');
  file.read(text.data(), static_cast<std::streamsize>(bytes));
  REQUIRE(file);
  return text;
}

TEST_CASE("hdf5 chunks: each is found where its stored bytes lie, whatever its index",
          "[unit][hdf5]") {
  struct Kind {
    bool newest, gzip, growing;
    hsize_t user_block;
  };
  for (const Kind kind :
       {Kind{false, false, false, 0}, Kind{false, true, false, 512}, Kind{true, true, false, 0},
        Kind{true, true, true, 0}, Kind{true, false, false, 1024}}) {
    INFO(kind.newest << kind.gzip << kind.growing << ' ' << kind.user_block);
    const ChunkFile file;
    make(file.path, kind.newest, kind.gzip, kind.growing, 1, kind.user_block);
    const ChunkFinder finder(file.path, "/data", ErrorKind::scenario);
    const hid_t opened = H5Fopen(file.path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    const hid_t data = H5Dopen2(opened, "/data", H5P_DEFAULT);
    for (std::uint64_t row = 0; row < kRows - 10; row += 17) {
      const hsize_t at[] = {row, 0};
      const auto found = finder.find(row);
      REQUIRE(found.has_value());
      std::string stored(found->bytes, '\0');
      std::uint32_t mask = 7;
      REQUIRE(H5Dread_chunk(data, H5P_DEFAULT, at, &mask, stored.data()) >= 0);
      CHECK(bytes_at(file.path, found->offset, found->bytes) == stored);
      CHECK(found->skipped_filters == mask);
    }
    CHECK_FALSE(finder.find(kRows - 1).has_value());
    H5Dclose(data);
    H5Fclose(opened);
  }
}

TEST_CASE(
    "hdf5 chunks: only a file of the newest layout with its space taken at once is a sequence",
    "[unit][hdf5]") {
  const ChunkFile sequence, gzip, old;
  {
    File file = File::create(sequence.path, ErrorKind::store, File::Format::newest);
    Dataset data = file.create_row_chunks("/data", Element::uint8, {kRows, kRow}, std::nullopt);
    for (std::uint64_t row = 0; row < kRows; ++row) {
      const auto values = row_of(row);
      data.write_chunk(row, std::as_bytes(std::span(values)));
    }
    file.close();
  }
  const auto sequence_of = [](const std::string& path) {
    return ChunkFinder(path, "/data", ErrorKind::scenario).sequence_offset();
  };
  const auto first = sequence_of(sequence.path);
  REQUIRE(first.has_value());
  for (const std::uint64_t row : {0u, 1u, 77u, 299u}) {
    const auto want = row_of(row);
    const std::string got = bytes_at(sequence.path, *first + row * kRow, kRow);
    CHECK(std::memcmp(got.data(), want.data(), kRow) == 0);
  }
  make(gzip.path, true, true, false);
  CHECK_FALSE(sequence_of(gzip.path).has_value());
  make(old.path, false, false, false);
  CHECK_FALSE(sequence_of(old.path).has_value());
}

TEST_CASE("hdf5 chunks: the library reads rows whose chunks hold several", "[unit][hdf5]") {
  const ChunkFile made;
  make(made.path, false, true, false, 7);
  const File file = File::open_readonly(made.path);
  RowReader reader(file.dataset("/data"), Element::uint8);
  std::vector<std::uint8_t> row(2 * kRow);
  reader.read(13, 1, row.data());
  CHECK(std::equal(row.begin(), row.begin() + kRow, row_of(13).begin()));
  reader.read(13, 2, row.data());
  CHECK(std::equal(row.begin() + kRow, row.end(), row_of(14).begin()));
  CHECK_THROWS_AS(reader.read(kRows, 1, row.data()), Hdf5Error);
}

}  // namespace chunk_tests
}  // namespace benchbench::hdf5
