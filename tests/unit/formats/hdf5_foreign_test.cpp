// HDF5 files that somebody made to lead elsewhere, or of elements that are not ours, in each format
// that is HDF5 and in each of its data sets.
#include <hdf5.h>

#include <catch2/catch.hpp>

#include "tests/unit/formats/places.h"

namespace benchbench::test::hdf5_foreign {
namespace {

using Catch::Contains;

constexpr hsize_t kRows = 4, kRow = 8;

enum class Trick {
  none,
  soft_link,
  external_link,
  external_storage,
  virtual_data,
  unknown_filter,
  wide_float,
  big_endian,
  compound,
  bits
};
constexpr const char* kTricks[] = {
    "none",           "a soft link", "an external link", "external storage", "a virtual dataset",
    "unknown filter", "float64",     "big-endian",       "compound",         "a bit field"};
constexpr Trick kAllTricks[] = {Trick::soft_link,    Trick::external_link,  Trick::external_storage,
                                Trick::virtual_data, Trick::unknown_filter, Trick::wide_float,
                                Trick::big_endian,   Trick::compound,       Trick::bits};

hid_t type_for(Trick trick, hid_t plain) {
  if (trick == Trick::wide_float) return H5Tcopy(H5T_IEEE_F64LE);
  if (trick == Trick::big_endian) return H5Tcopy(H5T_STD_I16BE);
  if (trick == Trick::bits) return H5Tcopy(H5T_STD_B8LE);
  if (trick != Trick::compound) return H5Tcopy(plain);
  const hid_t pair = H5Tcreate(H5T_COMPOUND, 2);
  H5Tinsert(pair, "a", 0, H5T_NATIVE_UINT8);
  H5Tinsert(pair, "b", 1, H5T_NATIVE_UINT8);
  return pair;
}

// A filter that is known only while it is written.
struct MadeUpFilter {
  MadeUpFilter() {
    static const H5Z_class2_t filter{
        H5Z_CLASS_T_VERS,
        31998,
        1,
        1,
        "made up",
        nullptr,
        nullptr,
        [](unsigned, size_t, const unsigned[], size_t bytes, size_t*, void**) { return bytes; }};
    H5Zregister(&filter);
  }
  ~MadeUpFilter() { H5Zunregister(31998); }
};

// One data set, by the trick. `layout`: H5D_CONTIGUOUS or, deflated or not, H5D_CHUNKED.
void put(hid_t file, const TestFolder& folder, const std::string& name, Trick trick, hid_t plain,
         const std::vector<hsize_t>& extents, bool chunked, bool deflated) {
  if (trick == Trick::soft_link) {
    put(file, folder, name + "_elsewhere", Trick::none, plain, extents, chunked, deflated);
    H5Lcreate_soft(("/" + name + "_elsewhere").c_str(), file, name.c_str(), H5P_DEFAULT,
                   H5P_DEFAULT);
    return;
  }
  if (trick == Trick::external_link) {
    const std::string other = folder.at("other-" + name + ".h5");
    const hid_t there = H5Fcreate(other.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    put(there, folder, name, Trick::none, plain, extents, chunked, deflated);
    H5Fclose(there);
    H5Lcreate_external(other.c_str(), ("/" + name).c_str(), file, name.c_str(), H5P_DEFAULT,
                       H5P_DEFAULT);
    return;
  }
  const hid_t made = H5Pcreate(H5P_DATASET_CREATE),
              space = H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr);
  std::vector<hsize_t> chunk = extents;
  chunk[0] = 1;
  const bool in_chunks =
      (chunked && trick != Trick::external_storage && trick != Trick::virtual_data) ||
      trick == Trick::unknown_filter;
  if (in_chunks) H5Pset_chunk(made, static_cast<int>(chunk.size()), chunk.data());
  if (in_chunks && deflated) H5Pset_deflate(made, 4);
  std::optional<MadeUpFilter> filter;
  if (trick == Trick::unknown_filter) {
    filter.emplace();
    H5Pset_filter(made, 31998, H5Z_FLAG_MANDATORY, 0, nullptr);
  }
  if (trick == Trick::external_storage)
    H5Pset_external(made, folder.put("secret.bin", std::string(4096, 's')).c_str(), 0, 4096);
  if (trick == Trick::virtual_data)
    H5Pset_virtual(made, space, folder.at("other.h5").c_str(), "/data", space);
  const hid_t type = type_for(trick, plain);
  const hid_t data = H5Dcreate2(file, name.c_str(), type, space, H5P_DEFAULT, made, H5P_DEFAULT);
  const std::vector<std::byte> bytes(kRows * kRow * 16);
  if (trick != Trick::virtual_data && trick != Trick::external_storage)
    H5Dwrite(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data());
  H5Dclose(data);
  H5Tclose(type);
  H5Sclose(space);
  H5Pclose(made);
}

struct Set {
  const char* format;
  const char* data;  // the samples' data set
  bool chunked, deflated;
};
constexpr Set kSets[] = {
    {"hdf5", "payload", false, false},     {"hdf5", "data", false, false},
    {"hdf5", "data", true, true},          {"hdf5_contiguous", "data", false, false},
    {"hdf5_chunked", "data", true, false}, {"hdf5_gzip", "data", true, true}};

// What opening and reading all says of a file in which the data set `name` is by the trick.
std::string problem_of(const Set& set, std::string_view name, Trick trick) {
  const TestFolder folder;
  const std::string path = folder.at("a.h5");
  const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  const auto with = [&](const char* one) { return name == one ? trick : Trick::none; };
  if (std::string_view(set.data) == "payload") {
    put(file, folder, "payload", with("payload"), H5T_NATIVE_UINT8, {kRows * kRow}, false, false);
    put(file, folder, "offsets", with("offsets"), H5T_NATIVE_UINT64, {kRows + 1}, false, false);
  } else {
    put(file, folder, "data", with("data"), H5T_NATIVE_UINT8, {kRows, kRow}, set.chunked,
        set.deflated);
  }
  put(file, folder, "labels", with("labels"), H5T_NATIVE_INT64, {kRows}, false, false);
  H5Fclose(file);
  return error_of([&] {
    const auto runtime = make_real_runtime();
    NullMeter meter;
    const auto archive = open_archive(set.format, path);
    const auto reader = archive->reader(*runtime);
    for (SampleId id = 0; id < archive->layout().samples; ++id) reader->read(id, 0, meter);
    if (const auto library = archive->library_reader(*runtime))
      for (SampleId id = 0; id < archive->layout().samples; ++id) library->read(id, 0, meter);
  });
}

TEST_CASE(
    "hdf5 foreign: links, storage elsewhere, virtual data, unknown filters and other elements are "
    "refused in every format",
    "[unit][formats]") {
  for (const Set& set : kSets) {
    INFO(set.format << ", " << set.data
                    << (set.deflated  ? ", gzip"
                        : set.chunked ? ", chunks"
                                      : ""));
    CHECK(problem_of(set, set.data, Trick::none) == "");
    for (const Trick trick : kAllTricks) {
      INFO(kTricks[static_cast<int>(trick)]);
      const std::string said = problem_of(set, set.data, trick);
      CHECK(said != "");
      CHECK_THAT(said, Contains("a.h5"));
    }
  }
}

TEST_CASE(
    "hdf5 foreign: labels and offsets that lie elsewhere "
    "or are no numbers are refused in every format",
    "[unit][formats]") {
  for (const Set& set : kSets) {
    for (const char* name : {"labels", "offsets"}) {
      if (std::string_view(name) == "offsets" && std::string_view(set.data) != "payload") continue;
      for (const Trick trick : kAllTricks) {
        INFO(set.format << ", " << set.data << ": " << name << " by "
                        << kTricks[static_cast<int>(trick)]);
        // The library turns big-endian whole numbers, and whole floating ones, into ours: they are
        // the same labels.
        if (trick == Trick::big_endian ||
            (trick == Trick::wide_float && std::string_view(set.data) == "payload"))
          continue;
        CHECK_THAT(problem_of(set, name, trick), Contains("a.h5"));
      }
    }
  }
}

}  // namespace
}  // namespace benchbench::test::hdf5_foreign
