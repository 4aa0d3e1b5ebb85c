#include <hdf5.h>

#include <algorithm>
#include <catch2/catch.hpp>

#include "harness/hdf5/file.h"
#include "tests/unit/formats/places.h"

namespace benchbench::test::hdf5_format {
namespace {

using Catch::Contains;

std::string make(const TestFolder& folder, std::size_t payload_bytes = 3000) {
  const std::string path = folder.at("x.h5");
  const auto writer = create_archive("hdf5", path);
  const std::vector<std::byte> payload(payload_bytes, std::byte{9});
  for (int i = 0; i < 10; ++i) writer->add("c/" + std::to_string(i) + ".jpg", i % 3, payload);
  writer->finish();
  return path;
}

// A file of three data sets made by hand, /payload as `properties` says.
std::string make_by_hand(const std::string& path, hid_t properties, hid_t type = H5T_NATIVE_UINT8) {
  const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  const auto put = [&](const char* name, hid_t of, hsize_t count, hid_t made, const void* values) {
    const hid_t space = H5Screate_simple(1, &count, nullptr);
    const hid_t data = H5Dcreate2(file, name, of, space, H5P_DEFAULT, made, H5P_DEFAULT);
    if (values) H5Dwrite(data, of, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    H5Dclose(data);
    H5Sclose(space);
  };
  const std::vector<std::uint8_t> payload(8000, 7);
  const std::uint64_t offsets[] = {0, 400, 1000};
  const std::int64_t labels[] = {1, 0};
  put("/payload", type, 1000, properties, payload.data());
  put("/offsets", H5T_NATIVE_UINT64, 3, H5P_DEFAULT, offsets);
  put("/labels", H5T_NATIVE_INT64, 2, H5P_DEFAULT, labels);
  H5Fclose(file);
  return path;
}

std::string opening(const std::string& path) { return error_opening("hdf5", path); }

TEST_CASE("hdf5: a user's file without names works", "[unit][formats]") {
  const TestFolder folder;
  const auto archive = open_archive("hdf5", make_by_hand(folder.at("u.h5"), H5P_DEFAULT));
  CHECK(listing_of(*archive) == "sample 0:1 sample 1:0");
  CHECK(payload_of(*archive, 1).size() == 600);
}

TEST_CASE("hdf5: a file cut short anywhere is an error, at opening or as that sample's short read",
          "[unit][formats]") {
  const TestFolder folder;
  const std::string whole = bytes_of(make(folder));
  const auto runtime = make_real_runtime();
  for (std::size_t size = 0; size < whole.size(); size += whole.size() / 23 + 1) {
    INFO("cut at " << size << " of " << whole.size());
    const std::string path = folder.put("cut.h5", whole.substr(0, size));
    const std::string said = opening(path);
    CHECK_THAT(said, Contains("cut.h5"));
  }
  CHECK(opening(folder.put("whole.h5", whole)).empty());
}

TEST_CASE("hdf5: cut after it was opened, the sample says so", "[unit][formats]") {
  const TestFolder folder;
  const std::string path = make(folder, 30'000);
  const auto archive = open_archive("hdf5", path);
  std::filesystem::resize_file(path, 100'000);
  const auto runtime = make_real_runtime();
  NullMeter meter;
  const auto reader = archive->reader(*runtime);
  CHECK(error_of([&] { reader->read(9, 0, meter); }).find("short read of 'c/9.jpg'") == 0);
}

TEST_CASE(
    "hdf5: external storage, unknown filters, chunks and other types are refused in clear words",
    "[unit][formats]") {
  const TestFolder folder;
  const hid_t external = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_external(external, folder.put("secret.bin", std::string(1000, 's')).c_str(), 0, 1000);
  CHECK_THAT(opening(make_by_hand(folder.at("e.h5"), external)), Contains("external"));

  const hid_t chunked = H5Pcreate(H5P_DATASET_CREATE);
  const hsize_t chunk = 100;
  H5Pset_chunk(chunked, 1, &chunk);
  CHECK_THAT(opening(make_by_hand(folder.at("c.h5"), chunked)),
             Contains("contiguous and uncompressed"));
  H5Pset_deflate(chunked, 4);
  CHECK_THAT(opening(make_by_hand(folder.at("z.h5"), chunked)),
             Contains("contiguous and uncompressed"));
  CHECK_THAT(opening(make_by_hand(folder.at("t.h5"), H5P_DEFAULT, H5T_NATIVE_INT32)),
             Contains("uint8"));

  const hid_t unknown = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_chunk(unknown, 1, &chunk);
  static const H5Z_class2_t filter{
      H5Z_CLASS_T_VERS,
      31999,
      1,
      1,
      "made up",
      nullptr,
      nullptr,
      [](unsigned, size_t, const unsigned[], size_t bytes, size_t*, void**) { return bytes; }};
  REQUIRE(H5Zregister(&filter) >= 0);
  H5Pset_filter(unknown, 31999, H5Z_FLAG_MANDATORY, 0, nullptr);
  make_by_hand(folder.at("f.h5"), unknown);
  REQUIRE(H5Zunregister(31999) >= 0);
  CHECK_THAT(opening(folder.at("f.h5")), Contains("filter"));
  for (const hid_t properties : {external, chunked, unknown}) H5Pclose(properties);
}

// One value a row, in chunks of which none is written.
void put_unwritten(hid_t file, const char* name, hid_t type, hsize_t rows) {
  const hsize_t chunk = std::min<hsize_t>(rows, 4);
  const hid_t properties = H5Pcreate(H5P_DATASET_CREATE),
              space = H5Screate_simple(1, &rows, nullptr);
  H5Pset_chunk(properties, 1, &chunk);
  H5Dclose(H5Dcreate2(file, name, type, space, H5P_DEFAULT, properties, H5P_DEFAULT));
  H5Sclose(space);
  H5Pclose(properties);
}

TEST_CASE("hdf5: side tables that were never written cost no memory", "[unit][formats]") {
  const TestFolder folder;
  const auto columns = [&](const std::string& path, hsize_t samples, hsize_t names,
                           std::size_t width) {
    make_by_hand(path, H5P_DEFAULT);
    const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), text = H5Tcopy(H5T_C_S1);
    H5Tset_size(text, width);
    if (samples != 2) {
      H5Ldelete(file, "/offsets", H5P_DEFAULT);
      H5Ldelete(file, "/labels", H5P_DEFAULT);
      put_unwritten(file, "/offsets", H5T_NATIVE_UINT64, samples + 1);
      put_unwritten(file, "/labels", H5T_NATIVE_INT64, samples);
    }
    put_unwritten(file, "/names", text, names);
    H5Tclose(text);
    H5Fclose(file);
    return opening(path);
  };
  CHECK_THAT(columns(folder.at("a.h5"), hsize_t{1} << 40, 2, 8),
             Contains("most were never written"));
  CHECK_THAT(columns(folder.at("b.h5"), 2, hsize_t{1} << 40, 8),
             Contains("one name for each of 2 samples"));
  CHECK_THAT(columns(folder.at("c.h5"), 2, 2, std::size_t{1} << 29),
             Contains("its size is not plausible"));
  // 2 GB of room for names, a piece at a time: none is a name.
  CHECK(columns(folder.at("d.h5"), 2'000, 2'000, 1'000'000).empty());
}

TEST_CASE("hdf5: columns that contradict each other are refused", "[unit][formats]") {
  const TestFolder folder;
  const std::string path = make_by_hand(folder.at("b.h5"), H5P_DEFAULT);
  const auto overwrite = [&](std::uint64_t a, std::uint64_t b, std::uint64_t c) {
    const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    const hid_t data = H5Dopen2(file, "/offsets", H5P_DEFAULT);
    const std::uint64_t values[] = {a, b, c};
    H5Dwrite(data, H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    H5Dclose(data);
    H5Fclose(file);
  };
  overwrite(0, 500, 1001);
  CHECK_THAT(opening(path), Contains("must be increasing and within the payload's 1000 bytes"));
  overwrite(0, 600, 500);
  CHECK_THAT(opening(path), Contains("must be increasing"));
  overwrite(0, 600, 1000);
  CHECK(opening(path).empty());
}

TEST_CASE("hdf5: labels of one column are labels, and no samples", "[unit][formats]") {
  const TestFolder folder;
  const std::string path = folder.at("x.h5");
  {
    hdf5::File file = hdf5::File::create(path, ErrorKind::scenario);
    const std::vector<std::uint8_t> images(12, 1);
    const std::vector<std::int64_t> labels{3, 4};
    file.create_contiguous("/images", hdf5::Element::uint8, {2, 6})
        .write(0, std::span<const std::uint8_t>(images));
    file.create_contiguous("/label", hdf5::Element::int64, {2, 1})
        .write(0, std::span<const std::int64_t>(labels));
    file.close();
  }
  CHECK(listing_of(*open_archive("hdf5", path)) == "sample 0:3 sample 1:4");
  CHECK(open_archive("hdf5", path)->remark().empty());
}

TEST_CASE("hdf5: what its root holds besides is said", "[unit][formats]") {
  const TestFolder folder;
  const std::string path = folder.at("x.h5");
  {
    hdf5::File file = hdf5::File::create(path, ErrorKind::scenario);
    const std::vector<std::uint8_t> values(6, 1);
    file.create_contiguous("/data", hdf5::Element::uint8, {2, 3})
        .write(0, std::span<const std::uint8_t>(values));
    for (const char* other : {"/mean", "/test/data"})
      file.write(other, std::span<const std::uint8_t>(values));
    file.close();
  }
  CHECK(open_archive("hdf5", path)->remark() ==
        std::string(kNoLabels) + "; passed over 2 entries of its root: /mean, /test");
}

TEST_CASE("hdf5: data sets that the user names by their paths are read, and no others",
          "[unit][formats]") {
  const TestFolder folder;
  const std::string path = folder.at("x.h5");
  {
    hdf5::File file = hdf5::File::create(path, ErrorKind::scenario);
    const std::vector<std::uint8_t> first(12, 1), second(8, 2);
    const std::vector<std::int64_t> labels{3, 4}, others{5, 6};
    file.create_contiguous("/data", hdf5::Element::uint8, {2, 6})
        .write(0, std::span<const std::uint8_t>(first));
    file.create_contiguous("/train/images", hdf5::Element::uint8, {2, 4})
        .write(0, std::span<const std::uint8_t>(second));
    file.write("/labels", std::span<const std::int64_t>(labels));
    file.write("/train/kind", std::span<const std::int64_t>(others));
    file.write_text("/train/files", std::vector<std::string>{"a", "b"});
    file.close();
  }
  for (const char* format : {"hdf5", "hdf5_contiguous"}) {
    const auto named =
        open_archive(format, path, named_columns("train/images", "/train/kind", "train/files"));
    CHECK(listing_of(*named) == "a:5 b:6");
    CHECK(named->payload().row.extent[0] == 4);
    CHECK(listing_of(*open_archive(format, path)) == "sample 0:3 sample 1:4");
    CHECK(listing_of(*open_archive(format, path, named_columns("", "train/kind"))) ==
          "sample 0:5 sample 1:6");
  }
  CHECK_THAT(error_opening("hdf5", path, named_columns("train/img")),
             Contains("it has no data set /train/img; in its root are: data, labels, train"));
  CHECK_THAT(error_opening("hdf5", path, named_columns("train")), Contains("/train"));
  CHECK_THAT(error_opening("hdf5", path, named_columns("", "train/files")),
             Contains("/train/files must be whole numbers"));
}

}  // namespace
}  // namespace benchbench::test::hdf5_format
