// The remarks of each format on labels that are missing, and on what it did not read.
#include <hdf5.h>

#include <catch2/catch.hpp>

#include "harness/core/digest.h"
#include "scenarios/formats/proto_wire.h"
#include "scenarios/formats/remark.h"
#include "scenarios/formats/shards/tar_header.h"
#include "scenarios/formats/shards/tfrecord_walk.h"
#include "scenarios/formats/tables/lmdb_library.h"
#include "tests/unit/formats/places.h"

namespace benchbench::test::remarks {
namespace {

std::string remark_of(std::string_view format, const std::string& path) {
  return std::string(open_archive(format, path)->remark());
}

std::string member(const std::string& name, const std::string& data) {
  std::string bytes = tar::make_header(name, data.size()) + data;
  bytes.resize(tar::padded(bytes.size()), '\0');
  return bytes;
}
const std::string kEnd(1024, '\0');

// One record of an image, with the class 1.
std::string record() {
  const auto feature = [](const std::string& key, std::uint32_t kind, const std::string& list) {
    std::string value, entry, wrapped;
    proto::put_bytes(value, kind, list);
    proto::put_bytes(entry, 1, key);
    proto::put_bytes(entry, 2, value);
    proto::put_bytes(wrapped, 1, entry);
    return wrapped;
  };
  std::string image, label, example;
  proto::put_bytes(image, 1, "bytes");
  proto::put_number(label, 1, 1);
  proto::put_bytes(example, 1, feature("image", 1, image) + feature("label", 3, label));
  return tfrecord::head_of(example.size()) + example + tfrecord::tail_of(crc32c(example));
}

TEST_CASE("remarks: pieces are joined, and samples without a label are counted",
          "[unit][formats]") {
  std::string remark;
  add_remark(remark, "");
  CHECK(remark.empty());
  add_remark(remark, "one");
  add_remark(remark, "");
  add_remark(remark, "two");
  CHECK(remark == "one; two");
  CHECK(unlabelled_piece(0, 5).empty());
  CHECK(unlabelled_piece(5, 5) == kNoLabels);
  CHECK(unlabelled_piece(2, 5) == "2 of 5 samples have no label: they get label 0");
}

TEST_CASE("remarks: images without a folder of their class have no labels", "[unit][formats]") {
  const TestFolder folder;
  folder.put("flat/b.jpg");
  CHECK(remark_of("image_folder", folder.at("flat")) == kNoLabels);
  folder.put("flat/c.webp");
  CHECK(remark_of("image_folder", folder.at("flat")) ==
        "passed over 1 file that is not an image: 1 .webp; " + std::string(kNoLabels));
  folder.put("flat/dogs/a.jpg");
  CHECK(remark_of("image_folder", folder.at("flat")) ==
        "passed over 1 file that is not an image: 1 .webp");
}

TEST_CASE("remarks: a tar file without .cls and folders has no labels, also from its kept index",
          "[unit][formats]") {
  const TestFolder folder;
  const std::string path = folder.put("x.tar", member("1.jpg", "one") + kEnd);
  CHECK(remark_of("tar", path) == kNoLabels);
  CHECK(remark_of("tar", path) == kNoLabels);
  CHECK(remark_of("tar", folder.put("y.tar", member("dogs/1.jpg", "one") + kEnd)).empty());
  CHECK(remark_of("tar", folder.put("z.tar", member("1.jpg", "one") + member("1.cls", "0") + kEnd))
            .empty());
}

TEST_CASE(
    "remarks: what a folder of shards holds besides is counted, but not what is named after "
    "a shard",
    "[unit][formats]") {
  const TestFolder folder;
  folder.put("tars/a.tar", member("1.jpg", "one") + member("1.cls", "0") + kEnd);
  folder.put("tars/a.tar.idx");
  folder.put("tars/.hidden");
  folder.put("tars/.checkpoints/a.json");
  CHECK(remark_of("tar", folder.at("tars")).empty());
  folder.put("tars/a.parquet");
  folder.put("tars/a_stats.json");
  CHECK(remark_of("tar", folder.at("tars")) ==
        "passed over 2 files that are not a .tar file: 1 .json, 1 .parquet");
  folder.put("tars/test/b.tar");
  CHECK(remark_of("tar", folder.at("tars")) ==
        "passed over 3 entries that are not a .tar file: 1 .json, 1 .parquet, 1 folder");
  std::filesystem::create_symlink(folder.at("nowhere.tar"), folder.at("tars/c.tar"));
  CHECK(remark_of("tar", folder.at("tars")) ==
        "passed over 4 entries that are not a .tar file: 1 .json, 1 .parquet, 1 broken link or "
        "device, 1 folder");
  folder.put("records/a.tfrecord", record());
  folder.put("records/a.tfrecord.idx");
  CHECK(remark_of("tfrecord", folder.at("records")).empty());
  folder.put("records/labels.txt");
  CHECK(remark_of("tfrecord", folder.at("records")) ==
        "passed over 1 file that is not a TFRecord file: 1 .txt");
}

TEST_CASE("remarks: an .npy file alone has no labels, with a file of labels it has",
          "[unit][formats]") {
  const TestFolder folder;
  const PayloadSpec small{
      .data = DataKind::volume, .dtype = DType::uint8, .row = {.extent = {2, 3}, .rank = 2}};
  const auto writer = built_in_catalog()
                          .maker(PartKind::sample_format, "npy")
                          .format.create({folder.at("x.npy"), 1, small});
  writer->add("a", 0, std::vector<std::byte>(6));
  writer->finish();
  CHECK(remark_of("npy", folder.at("x.npy")).empty());
  std::filesystem::remove(folder.at("x.labels.npy"));
  CHECK(remark_of("npy", folder.at("x.npy")) == kNoLabels);
}

TEST_CASE("remarks: LMDB values that are images alone have no labels", "[unit][formats]") {
  const TestFolder folder;
  std::filesystem::create_directories(folder.at("set"));
  lmdb::Writer writer(folder.at("set"));
  const std::string image = "\xFF\xD8\xFF...";
  for (const char* key : {"a", "b"})
    image.copy(reinterpret_cast<char*>(writer.add(key, image.size()).data()), image.size());
  writer.finish();
  CHECK(listing_of(*open_archive("lmdb", folder.at("set"))) == "a:0 b:0");
  CHECK(remark_of("lmdb", folder.at("set")) == kNoLabels);
}

TEST_CASE("remarks: an HDF5 file says what its root holds besides", "[unit][formats]") {
  const TestFolder folder;
  const hid_t file = H5Fcreate(folder.at("x.h5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  const hsize_t size[] = {2, 3}, one[] = {2};
  const std::vector<std::uint8_t> values(6);
  for (const auto& [name, rank] : {std::pair{"/data", 2}, std::pair{"/mean", 1}}) {
    const hid_t space = H5Screate_simple(rank, rank == 2 ? size : one, nullptr);
    const hid_t data =
        H5Dcreate2(file, name, H5T_NATIVE_UINT8, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Dwrite(data, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
    H5Dclose(data);
    H5Sclose(space);
  }
  H5Gclose(H5Gcreate2(file, "/test", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  H5Fclose(file);
  CHECK(remark_of("hdf5", folder.at("x.h5")) ==
        std::string(kNoLabels) + "; passed over 2 entries of its root: /mean, /test");
}

}  // namespace
}  // namespace benchbench::test::remarks
