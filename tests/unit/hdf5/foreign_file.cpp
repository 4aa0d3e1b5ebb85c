// Files that somebody made to harm, by the library itself: each is refused before a byte is read.
#include <hdf5.h>
#include <stdlib.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "harness/hdf5/file.h"
#include "tests/scratch_folder.h"

namespace benchbench::hdf5 {
namespace foreign_tests {

class Foreign {
 public:
  Foreign() : folder_(test::make_scratch_folder("foreign")) {
    std::ofstream(folder_ + "/secret") << std::string(64, 's');
    file_ = H5Fcreate(path().c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    made_ = H5Pcreate(H5P_DATASET_CREATE);
    const hsize_t size = 64;
    space_ = H5Screate_simple(1, &size, nullptr);
  }
  ~Foreign() { std::filesystem::remove_all(folder_); }
  std::string path() const { return folder_ + "/a.h5"; }
  std::string secret() const { return folder_ + "/secret"; }
  hid_t file() const { return file_; }
  hid_t made() const { return made_; }
  hid_t space() const { return space_; }
  void dataset(const char* name) {
    H5Dclose(H5Dcreate2(file_, name, H5T_NATIVE_UINT8, space_, H5P_DEFAULT, made_, H5P_DEFAULT));
  }
  void close() {
    H5Sclose(space_);
    H5Pclose(made_);
    H5Fclose(file_);
  }
  std::string refusal(const char* name = "/data") {
    close();
    try {
      File::open_readonly(path()).dataset(name).require_plain();
    } catch (const Hdf5Error& e) {
      return std::string(e.message());
    }
    return "";
  }

 private:
  std::string folder_;
  hid_t file_ = -1, made_ = -1, space_ = -1;
};

bool has(const std::string& text, const char* what) {
  INFO(text);
  return text.find(what) != std::string::npos;
}

// A filter that this program alone knows: written with it, the file names it for ever.
std::size_t same(unsigned, std::size_t, const unsigned*, std::size_t bytes, std::size_t*, void**) {
  return bytes;
}

TEST_CASE("foreign hdf5: a plain data set passes", "[unit][hdf5]") {
  Foreign f;
  f.dataset("/data");
  CHECK(f.refusal() == "");
}

TEST_CASE("foreign hdf5: compression that the library has passes", "[unit][hdf5]") {
  Foreign f;
  const hsize_t chunk = 16;
  H5Pset_chunk(f.made(), 1, &chunk);
  H5Pset_shuffle(f.made());
  H5Pset_deflate(f.made(), 4);
  f.dataset("/data");
  CHECK(f.refusal() == "");
}

TEST_CASE("foreign hdf5: external storage is refused", "[unit][hdf5]") {
  Foreign f;
  H5Pset_external(f.made(), f.secret().c_str(), 0, 64);
  f.dataset("/data");
  CHECK(has(f.refusal(), "external storage"));
}

TEST_CASE("foreign hdf5: a virtual dataset is refused", "[unit][hdf5]") {
  Foreign f;
  H5Pset_virtual(f.made(), f.space(), "other.h5", "/x", f.space());
  f.dataset("/data");
  CHECK(has(f.refusal(), "virtual dataset"));
}

TEST_CASE("foreign hdf5: an unknown filter is refused", "[unit][hdf5]") {
  Foreign f;
  const H5Z_class2_t filter{H5Z_CLASS_T_VERS, 321, 1, 1, "mystery", nullptr, nullptr, same};
  H5Zregister(&filter);
  const hsize_t chunk = 16;
  H5Pset_chunk(f.made(), 1, &chunk);
  H5Pset_filter(f.made(), 321, H5Z_FLAG_MANDATORY, 0, nullptr);
  f.dataset("/data");
  H5Zunregister(321);
  CHECK(has(f.refusal(), "filter that is not available here (321, mystery)"));
}

TEST_CASE("foreign hdf5: external and soft links are refused, wherever on the way they lie",
          "[unit][hdf5]") {
  {
    Foreign f;
    H5Lcreate_external("other.h5", "/x", f.file(), "/data", H5P_DEFAULT, H5P_DEFAULT);
    CHECK(has(f.refusal(), "link"));
  }
  {
    Foreign f;
    H5Lcreate_external("other.h5", "/", f.file(), "/group", H5P_DEFAULT, H5P_DEFAULT);
    CHECK(has(f.refusal("/group/data"), "/group: cannot use it"));
  }
  {
    Foreign f;
    f.dataset("/real");
    H5Lcreate_soft("/real", f.file(), "/data", H5P_DEFAULT, H5P_DEFAULT);
    CHECK(has(f.refusal(), "link"));
  }
}

TEST_CASE("foreign hdf5: a data set whose bytes would lie past the end of the file is refused",
          "[unit][hdf5]") {
  Foreign f;
  H5Pset_alloc_time(f.made(), H5D_ALLOC_TIME_EARLY);
  f.dataset("/data");
  f.close();
  const std::uint64_t offset =
      File::open_readonly(f.path()).dataset("/data").contiguous_offset().value();
  std::ifstream in(f.path(), std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  // The header names the place as eight bytes, which may be found elsewhere too: each is moved, in
  // turn, to where only half of the data fits.
  const std::string place(reinterpret_cast<const char*>(&offset), sizeof offset);
  const std::uint64_t moved = bytes.size() - 32;
  std::string complaints;
  for (auto at = bytes.find(place); at != std::string::npos; at = bytes.find(place, at + 1)) {
    std::string changed = bytes;
    std::memcpy(changed.data() + at, &moved, sizeof moved);
    std::ofstream(f.path(), std::ios::binary | std::ios::trunc) << changed;
    try {
      File::open_readonly(f.path()).dataset("/data").require_plain();
    } catch (const Hdf5Error& e) {
      complaints += std::string(e.message()) + "\n";
    }
  }
  CHECK(has(complaints, "past the end of the file"));
}

TEST_CASE("foreign hdf5: plug-ins are off", "[unit][hdf5]") {
  Foreign f;
  f.dataset("/data");
  f.refusal();
  unsigned plugins = 7;
  H5PLget_loading_state(&plugins);
  CHECK(plugins == 0);
}

}  // namespace foreign_tests
}  // namespace benchbench::hdf5
