// Encoded images of their own length in HDF5 files as others make them: values of variable length,
// and a data set for each image.
#include <hdf5.h>

#include <catch2/catch.hpp>
#include <cstring>

#include "scenarios/formats/hdf5/hdf5_heap.h"
#include "tests/unit/formats/places.h"

namespace benchbench::test::hdf5_variable {
namespace {

using Catch::Contains;

enum class Layout { contiguous, chunked, gzip };

struct How {
  Layout layout = Layout::contiguous;
  hsize_t user_block = 0;
  bool newest = false;
};

// A file that is being written.
class Writing {
 public:
  explicit Writing(const std::string& path, const How& how = {}) : how_(how) {
    const hid_t made = H5Pcreate(H5P_FILE_CREATE), access = H5Pcreate(H5P_FILE_ACCESS);
    if (how.user_block) H5Pset_userblock(made, how.user_block);
    if (how.newest) H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    file_ = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, made, access);
    H5Pclose(access);
    H5Pclose(made);
  }
  ~Writing() { H5Fclose(file_); }
  Writing(const Writing&) = delete;
  hid_t file() const { return file_; }

  // Returns where its elements are, of a contiguous layout.
  haddr_t put(const std::string& name, hid_t type, std::vector<hsize_t> extents, const void* values,
              std::optional<std::int64_t> label = {}) const {
    const hid_t space = extents.empty() ? H5Screate(H5S_SCALAR)
                                        : H5Screate_simple(static_cast<int>(extents.size()),
                                                           extents.data(), nullptr);
    const hid_t made = H5Pcreate(H5P_DATASET_CREATE), links = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_create_intermediate_group(links, 1);
    const hsize_t chunk = 4;
    if (how_.layout != Layout::contiguous && H5Tget_class(type) == H5T_VLEN)
      H5Pset_chunk(made, 1, &chunk);
    if (how_.layout == Layout::gzip && H5Tget_class(type) == H5T_VLEN) {
      H5Pset_shuffle(made);
      H5Pset_deflate(made, 4);
    }
    const hid_t data = H5Dcreate2(file_, name.c_str(), type, space, links, made, H5P_DEFAULT);
    H5Dwrite(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    if (label) {
      const hid_t one = H5Screate(H5S_SCALAR);
      const hid_t attribute =
          H5Acreate2(data, "label", H5T_NATIVE_INT64, one, H5P_DEFAULT, H5P_DEFAULT);
      H5Awrite(attribute, H5T_NATIVE_INT64, &*label);
      H5Aclose(attribute);
      H5Sclose(one);
    }
    const haddr_t offset = H5Dget_offset(data);
    H5Dclose(data);
    H5Pclose(links);
    H5Pclose(made);
    H5Sclose(space);
    return offset;
  }
  haddr_t put_values(const std::string& name, const std::vector<std::string>& values,
                     hid_t of = H5T_NATIVE_UINT8) const {
    std::vector<hvl_t> all;
    for (const std::string& value : values)
      all.push_back({value.size() / H5Tget_size(of), const_cast<char*>(value.data())});
    const hid_t type = H5Tvlen_create(of);
    const haddr_t offset = put(name, type, {values.size()}, all.data());
    H5Tclose(type);
    return offset;
  }
  void put_labels(const std::string& name, const std::vector<std::int64_t>& labels) const {
    put(name, H5T_NATIVE_INT64, {labels.size()}, labels.data());
  }
  void put_bytes(const std::string& name, const std::string& bytes,
                 std::optional<std::int64_t> label = {}) const {
    put(name, H5T_NATIVE_UINT8, {bytes.size()}, bytes.data(), label);
  }
  void put_chunked(const std::string& name, const std::string& bytes) const {
    const hsize_t size = bytes.size();
    const hid_t space = H5Screate_simple(1, &size, nullptr), made = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(made, 1, &size);
    const hid_t data =
        H5Dcreate2(file_, name.c_str(), H5T_NATIVE_UINT8, space, H5P_DEFAULT, made, H5P_DEFAULT);
    H5Dwrite(data, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data());
    H5Dclose(data);
    H5Pclose(made);
    H5Sclose(space);
  }
  void put_opaque(const std::string& name, const std::string& bytes) const {
    const hid_t type = H5Tcreate(H5T_OPAQUE, bytes.size());
    H5Tset_tag(type, "NUMPY:V");
    put(name, type, {}, bytes.data());
    H5Tclose(type);
  }

 private:
  How how_;
  hid_t file_;
};

const std::string kJpeg = "\xFF\xD8\xFF picture", kPng = "\x89PNG\r\n\x1A\n picture";

// How the remark on what is no image ends.
const std::string kMustBe =
    " (each must be one JPEG or PNG image, as uint8 of one dimension or as opaque bytes, in one "
    "uncompressed piece)";

// The fourth is empty; the largest has a collection of its own.
std::vector<std::string> some_values() {
  std::vector<std::string> values;
  for (std::size_t i = 0; i < 23; ++i) {
    std::string value(i == 3 ? 0 : i * 7919 % 60000 + 1, static_cast<char>('a' + i));
    values.push_back(value);
  }
  return values;
}

std::string problem(const std::string& path, const ColumnNames& columns = {}) {
  return error_opening("hdf5", path, columns);
}

TEST_CASE("hdf5: values of variable length are samples, however they are laid out",
          "[unit][formats]") {
  const auto values = some_values();
  std::vector<std::int64_t> labels(values.size());
  for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = static_cast<std::int64_t>(i % 5);
  for (const How& how :
       {How{}, How{.layout = Layout::chunked}, How{.layout = Layout::gzip}, How{.user_block = 512},
        How{.newest = true}, How{.layout = Layout::chunked, .newest = true}}) {
    INFO(static_cast<int>(how.layout) << ' ' << how.user_block << ' ' << how.newest);
    const TestFolder folder;
    const std::string path = folder.at("x.h5");
    {
      const Writing file(path, how);
      file.put_values("train/images", values);
      file.put_labels("train/label", labels);
      file.put_labels("mean", {1, 2});
    }
    for (int i = 0; i < 2; ++i) {  // the second time from the kept index
      const auto archive = open_archive("hdf5", path);
      REQUIRE(archive->layout().samples == values.size());
      CHECK(archive->remark() == "passed over 1 entry of its root: /mean");
      CHECK(archive->payload().encoded_image());
      CHECK(archive->extents() != nullptr);
      for (SampleId id = 0; id < values.size(); ++id) {
        CHECK(archive->label_of(id) == labels[id]);
        const bool same = payload_of(*archive, id) == values[id];
        CHECK(same);
      }
    }
  }
}

TEST_CASE("hdf5: a group named data is looked into as any other", "[unit][formats]") {
  const TestFolder folder;
  const std::string path = folder.at("x.h5");
  {
    const Writing file(path);
    file.put_values("data/images", {"a", "b"});
    file.put_labels("data/targets", {1, 0});
  }
  CHECK(listing_of(*open_archive("hdf5", path)) == "sample 0:1 sample 1:0");
}

TEST_CASE("hdf5: of several data sets of samples one is to be named, and it alone is read",
          "[unit][formats]") {
  const TestFolder folder;
  const std::string path = folder.at("x.h5");
  {
    const Writing file(path);
    file.put_values("test/images", {"t"});
    file.put_values("train/images", {"a", "bc"});
    file.put_labels("train/y", {4, 2});
  }
  const std::string said = problem(path);
  CHECK_THAT(said,
             Contains("2 data sets could hold the samples: /test/images, /train/images | name one: "
                      "dataset.columns: {image: train/images}"));
  CHECK(listing_of(*open_archive("hdf5", path, named_columns("train/images"))) ==
        "sample 0:4 sample 1:2");
  CHECK(open_archive("hdf5", path, named_columns("test/images"))->remark() ==
        std::string(kNoLabels) + "; passed over 1 entry of its root: /train");
  CHECK_THAT(error_opening("hdf5_contiguous", path, named_columns("train/images")),
             Contains("/train/images has elements of variable length | use dataset.format: hdf5"));
}

TEST_CASE("hdf5: values of variable length that are not bytes are refused by their kind",
          "[unit][formats]") {
  const TestFolder folder;
  const std::string path = folder.at("x.h5");
  {
    const Writing file(path);
    const char* text[] = {"one", "two"};
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, H5T_VARIABLE);
    file.put("texts", type, {2}, text);
    H5Tclose(type);
    file.put_values("numbers", {"12341234", "1234"}, H5T_NATIVE_INT32);
  }
  CHECK_THAT(problem(path, named_columns("texts")),
             Contains("/texts has texts of variable length, which end at their first zero byte"));
  CHECK_THAT(problem(path, named_columns("numbers")),
             Contains("/numbers has elements of variable length that are not bytes"));
  CHECK_THAT(problem(path),
             Contains("no arrays or encoded images in it; its data sets: /numbers, /texts"));
}

TEST_CASE("hdf5: a data set for each image, with its class in its group, next to it or on it",
          "[unit][formats]") {
  const TestFolder folder;
  const std::string groups = folder.at("groups.h5"), next_to = folder.at("next_to.h5"),
                    attribute = folder.at("attribute.h5");
  {
    const Writing file(groups);
    file.put_bytes("dogs/b", kJpeg + "1");
    file.put_opaque("dogs/a", kPng + "22");
    file.put_bytes("cats/deep/c", kJpeg);
    file.put_chunked("cats/notes", kJpeg);
  }
  {
    const Writing file(next_to);
    const std::int64_t seven = 7, two = 2;
    file.put_bytes("0/image", kJpeg);
    file.put("0/label", H5T_NATIVE_INT64, {}, &seven);
    file.put_bytes("1/image", kJpeg);
    file.put("1/label", H5T_NATIVE_INT64, {}, &two);
  }
  {
    const Writing file(attribute);
    file.put_bytes("x", kJpeg, 3);
    file.put_bytes("y", kJpeg, 0);
  }
  for (int i = 0; i < 2; ++i) {  // the second time from the kept index
    const auto archive = open_archive("hdf5", groups);
    CHECK(listing_of(*archive) == "cats/deep/c:0 dogs/a:1 dogs/b:1");
    CHECK(archive->remark() == "passed over 1 data set: /cats/notes uint8 [" +
                                   std::to_string(kJpeg.size()) + "]" + kMustBe);
    CHECK(payload_of(*archive, 0) == kJpeg);
    CHECK(payload_of(*archive, 1) == kPng + "22");
    CHECK(payload_of(*archive, 2) == kJpeg + "1");
  }
  CHECK(listing_of(*open_archive("hdf5", next_to)) == "0/image:7 1/image:2");
  CHECK(listing_of(*open_archive("hdf5", attribute)) == "x:3 y:0");
  const std::string some = folder.at("some.h5"), none = folder.at("none.h5"),
                    flat = folder.at("flat.h5");
  {
    const Writing file(some);
    file.put_bytes("x", kJpeg, 3);
    file.put_bytes("y", kJpeg);
  }
  {
    const Writing file(none);
    file.put_bytes("x", "neither");
  }
  {
    const Writing file(flat);
    file.put_bytes("images/0", kJpeg);
    file.put_bytes("images/1", kJpeg);
  }
  CHECK_THAT(problem(some), Contains("no label for 1 of 2 images, the first of them /y |"));
  CHECK_THAT(
      problem(none),
      Contains("no data set is a JPEG or PNG image in one uncompressed piece; looked at: /x"));
  CHECK(open_archive("hdf5", flat)->remark() == kNoLabels);
}

TEST_CASE("hdf5: an array in the root is not taken for the samples where there are encoded images",
          "[unit][formats]") {
  const TestFolder folder;
  const std::string path = folder.at("x.h5"), variable = folder.at("variable.h5");
  const std::vector<std::uint8_t> mean(6);
  const std::vector<float> spread(6);
  {
    const Writing file(path);
    file.put("mean", H5T_NATIVE_UINT8, {2, 3}, mean.data());
    file.put("spread", H5T_NATIVE_FLOAT, {2, 3}, spread.data());
    file.put_bytes("cats/1", kJpeg);
    file.put_bytes("dogs/2", kJpeg);
  }
  {
    const Writing file(variable);
    file.put("mean", H5T_NATIVE_UINT8, {2, 3}, mean.data());
    file.put_values("train/images", {"a", "b", "c"});
  }
  const auto archive = open_archive("hdf5", path);
  CHECK(listing_of(*archive) == "cats/1:0 dogs/2:1");
  CHECK(archive->remark() ==
        "passed over 2 data sets: /mean uint8 [2, 3], /spread float32 [2, 3]" + kMustBe);
  CHECK(open_archive("hdf5", variable)->layout().samples == 3);
  CHECK(open_archive("hdf5", path, named_columns("mean"))->layout().samples == 2);
}

TEST_CASE("hdf5: groups that lead in a circle are entered once, and soft links not at all",
          "[unit][formats]") {
  const TestFolder folder;
  const std::string path = folder.at("x.h5"), soft = folder.at("soft.h5");
  {
    const Writing file(path);
    file.put_values("a/b/images", {"x"});
    H5Lcreate_hard(file.file(), "/a", file.file(), "/a/b/up", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_hard(file.file(), "/a/b/images", file.file(), "/a/again", H5P_DEFAULT, H5P_DEFAULT);
  }
  CHECK(open_archive("hdf5", path)->layout().samples == 1);
  {
    const Writing file(soft);
    H5Lcreate_external(path.c_str(), "/a/b/images", file.file(), "images", H5P_DEFAULT,
                       H5P_DEFAULT);
    H5Lcreate_soft("/images", file.file(), "more", H5P_DEFAULT, H5P_DEFAULT);
  }
  CHECK_THAT(problem(soft), Contains("it has no data sets"));
  CHECK_THAT(problem(soft, named_columns("images")), Contains("external link"));
}

// A file of two values in one collection, whose bytes can be changed.
struct Forged {
  explicit Forged(const TestFolder& folder) : path(folder.at("forged.h5")) {
    {
      const Writing file(path);
      references = file.put_values("images", {std::string(100, 'x'), std::string(50, 'y')});
    }
    bytes = bytes_of(path);
    collection = bytes.find("GCOL");
  }
  std::string with(std::size_t at, std::uint64_t number, std::size_t width) const {
    std::string changed = bytes;
    for (std::size_t i = 0; i < width; ++i) changed[at + i] = static_cast<char>(number >> (8 * i));
    std::ofstream(path, std::ios::binary) << changed;
    return problem(path);
  }
  std::string path, bytes;
  std::size_t references = 0, collection = 0;
};

TEST_CASE("hdf5: wrong references and collections are named with the byte", "[unit][formats]") {
  const TestFolder folder;
  const Forged file(folder);
  REQUIRE(file.collection != std::string::npos);
  const std::size_t first = file.references, heap = file.collection;
  const auto says = [&](const std::string& said, const std::string& words) {
    CHECK_THAT(said, Contains("forged.h5', at byte "));
    CHECK_THAT(said, Contains(words));
  };
  says(file.with(first, 101, 4), "a value is longer than its place");
  says(file.with(first + 4, ~0ull >> 1, 8), "a value of variable length is outside the file");
  says(file.with(first + 4, heap + 8, 8), "a value of variable length is in no collection");
  says(file.with(first + 12, 9, 4), "a value of variable length is in no collection");
  says(file.with(heap, 'X', 1), "a value of variable length is in no collection");
  says(file.with(heap + 8, ~0ull, 8), "a collection of values is truncated");
  says(file.with(heap + 16 + 8, 1 << 20, 8), "a value is longer than its collection");
}

TEST_CASE("hdf5: collections that share bytes are refused before each is walked to the end",
          "[unit][formats]") {
  std::string bytes(4096, '\0'), references;
  const auto put = [&](std::size_t at, auto number) {
    std::memcpy(bytes.data() + at, &number, sizeof number);
  };
  for (const auto& [at, size] : {std::pair<std::uint64_t, std::uint64_t>{0, 4096}, {2048, 1024}}) {
    std::memcpy(bytes.data() + at, "GCOL\1", 5);
    put(at + 8, size);
    put(at + 16, std::uint16_t{1});  // an object of 8 bytes; behind it is room
    put(at + 24, std::uint64_t{8});
    references += std::string("\5\0\0\0", 4);
    references.append(reinterpret_cast<const char*>(&at), 8);
    references += std::string("\1\0\0\0", 4);
  }
  MemoryBytes file(std::as_bytes(std::span(bytes)));
  const auto all = std::as_bytes(std::span(references));
  const auto one = benchbench::hdf5_format::objects_at(file, all.first(16), 0);
  REQUIRE(one.size() == 1);
  CHECK(one[0].offset == 32);
  CHECK(one[0].length == 5);
  std::string words;
  try {
    benchbench::hdf5_format::objects_at(file, all, 0);
  } catch (const Malformed& error) {
    words = error.what;
  }
  CHECK(words == "collections of values overlap");
}

}  // namespace
}  // namespace benchbench::test::hdf5_variable
