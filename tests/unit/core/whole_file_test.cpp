// What is read of files that somebody else may have put in the place of ours.
#include "harness/core/files/whole_file.h"

#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "harness/core/error.h"
#include "tests/scratch_folder.h"

namespace benchbench::whole_file_test {
namespace {

namespace fs = std::filesystem;
using Catch::Matchers::Contains;

struct Place {
  Place() : path(test::make_scratch_folder("whole_file")) {}
  ~Place() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  Place(const Place&) = delete;
  std::string operator/(const std::string& name) const { return path + "/" + name; }
  std::string path;
};

template <class Body>
std::string complaint_of(Body body) {
  try {
    body();
  } catch (const StoreError& e) {
    return std::string(e.message());
  }
  return "";
}

}  // namespace

TEST_CASE("whole file: a file is read, also through a link", "[unit][core]") {
  const Place place;
  std::ofstream(place / "file") << "text\n";
  fs::create_symlink("file", place / "link");
  CHECK(read_whole(place / "file") == "text\n");
  CHECK(read_whole(place / "link") == "text\n");
  CHECK(is_there(place / "link"));
  CHECK_FALSE(is_there(place / "none"));
  CHECK_FALSE(is_there(place / "file/none"));
  CHECK_FALSE(is_there(place / std::string(300, 'x')));
}

TEST_CASE("whole file: what is no file is refused by name, and not waited for", "[unit][core]") {
  const Place place;
  REQUIRE(::mkfifo((place / "pipe").c_str(), 0600) == 0);
  fs::create_directory(place / "folder");
  fs::create_symlink("/dev/zero", place / "device");
  for (const char* name : {"pipe", "folder", "device"}) {
    const std::string path = place / name;
    CHECK(complaint_of([&] { read_whole(path); }) == path + " is not a regular file");
  }
  CHECK_THAT(complaint_of([&] { read_whole(place / "none"); }),
             Contains(place / "none") && Contains("No such file"));
}

TEST_CASE("whole file: one over the limit is refused before it is read", "[unit][core]") {
  const Place place;
  std::ofstream(place / "hole") << "x";
  fs::resize_file(place / "hole", std::uintmax_t{1} << 40);
  CHECK_THAT(complaint_of([&] { read_whole(place / "hole"); }),
             Contains("hole has over 1073741824 bytes"));
  std::ofstream(place / "small") << "1234";
  CHECK(read_whole(place / "small", 4) == "1234");
  CHECK_THAT(complaint_of([&] { read_whole(place / "small", 3); }), Contains("has over 3 bytes"));
}

TEST_CASE("whole file: where it cannot be told whether a file is there, the reason is",
          "[unit][core]") {
  const Place place;
  fs::create_symlink("loop", place / "loop");
  CHECK_THAT(complaint_of([&] { is_there(place / "loop"); }),
             Contains(place / "loop") && Contains("Too many levels of symbolic links"));
}

}  // namespace benchbench::whole_file_test
