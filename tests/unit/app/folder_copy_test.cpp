#include "harness/app/wrap/folder_copy.h"

#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "harness/core/error.h"
#include "tests/scratch_folder.h"

namespace benchbench {
namespace folder_copy_test {

namespace fs = std::filesystem;

struct Folder {
  ~Folder() { fs::remove_all(parent); }
  void put(const std::string& name, const std::string& text) const {
    fs::create_directories((path / name).parent_path());
    std::ofstream(path / name) << text;
  }
  const fs::path parent = test::make_scratch_folder("copied");
  const fs::path path = parent / "work";
};

std::string text_of(const fs::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST_CASE("folder copy: files, folders, modes and times are copied, and gone afterwards",
          "[unit][app][wrap]") {
  Folder folder;
  folder.put("train.py", "print()");
  folder.put("package/deep/x.py", "x");
  fs::create_directory(folder.path / "empty");
  ::mkfifo((folder.path / "pipe").c_str(), 0600);
  fs::permissions(folder.path / "train.py", fs::perms::owner_exec, fs::perm_options::add);
  fs::last_write_time(folder.path / "train.py",
                      fs::file_time_type::clock::now() - std::chrono::hours{40});
  fs::path there;
  {
    const FolderCopy copy(folder.path, {});
    there = copy.path();
    CHECK(copy.bytes() == 8);
    CHECK(text_of(there / "package/deep/x.py") == "x");
    CHECK(fs::is_directory(there / "empty"));
    CHECK_FALSE(fs::exists(there / "pipe"));
    CHECK((fs::status(there / "train.py").permissions() & fs::perms::owner_exec) !=
          fs::perms::none);
    CHECK(fs::last_write_time(there / "train.py") == fs::last_write_time(folder.path / "train.py"));
    std::ofstream(there / "train.py") << "changed";
    std::ofstream(there / "made") << "new";
  }
  CHECK_FALSE(fs::exists(there));
  CHECK(text_of(folder.path / "train.py") == "print()");
  CHECK_FALSE(fs::exists(folder.path / "made"));
}

TEST_CASE("folder copy: a link leads into the copy where it led into the folder, else where it led",
          "[unit][app][wrap]") {
  Folder folder;
  folder.put("sub/train.py", "here");
  std::ofstream(folder.parent / "data") << "outside";
  fs::create_symlink("sub/train.py", folder.path / "inside");
  fs::create_symlink(fs::canonical(folder.path) / "sub", folder.path / "inside_absolute");
  fs::create_symlink("../data", folder.path / "out");
  fs::create_symlink("../../data", folder.path / "sub/out");
  fs::create_symlink("nowhere", folder.path / "dangling");
  const FolderCopy copy(folder.path, {});
  const fs::path there = copy.path();
  std::ofstream(there / "sub/train.py") << "copy";
  CHECK(text_of(there / "inside") == "copy");
  CHECK(text_of(there / "inside_absolute/train.py") == "copy");
  CHECK(text_of(there / "out") == "outside");
  CHECK(text_of(there / "sub/out") == "outside");
  CHECK(fs::read_symlink(there / "dangling") == "nowhere");
}

TEST_CASE(
    "folder copy: more than the limit is refused with its largest part, and links do not count",
    "[unit][app][wrap]") {
  Folder folder;
  folder.put("train.py", std::string(100, 'x'));
  folder.put("data/a", std::string(3000, 'x'));
  folder.put("data/b", std::string(3000, 'x'));
  std::ofstream(folder.parent / "large") << std::string(100'000, 'x');
  fs::create_symlink("../large", folder.path / "link");
  CHECK_NOTHROW(FolderCopy(folder.path, {.most_bytes = 6100}));
  try {
    const FolderCopy copy(folder.path, {.most_bytes = 6099});
    FAIL("copied");
  } catch (const UsageError& e) {
    CHECK(std::string(e.what()).find("--copy-cwd") == 0);
    CHECK(std::string(e.hint()).find("data has ") == 0);
  }
}

TEST_CASE("folder copy: a folder for temporary files that is not there is named",
          "[unit][app][wrap]") {
  Folder folder;
  folder.put("train.py", "x");
  const char* before = std::getenv("TMPDIR");
  const std::string kept = before ? before : "";
  ::setenv("TMPDIR", "/nonexistent", 1);
  CHECK_THROWS_WITH(FolderCopy(folder.path, {}), Catch::Contains("/nonexistent"));
  before ? ::setenv("TMPDIR", kept.c_str(), 1) : ::unsetenv("TMPDIR");
}

TEST_CASE("folder copy: an interrupt leaves nothing", "[unit][app][wrap]") {
  Folder folder;
  for (const char* name : {"a", "b", "c"}) folder.put(name, "x");
  std::ofstream(folder.parent / "x");
  const fs::path temporary = folder.parent / "tmp";
  fs::create_directory(temporary);
  const char* before = std::getenv("TMPDIR");
  const std::string kept = before ? before : "";
  ::setenv("TMPDIR", temporary.c_str(), 1);
  int asked = 0;
  CHECK_THROWS_AS(FolderCopy(folder.path, {.stop = [&] { return ++asked == 5; }}),
                  InterruptedError);
  before ? ::setenv("TMPDIR", kept.c_str(), 1) : ::unsetenv("TMPDIR");
  CHECK(fs::is_empty(temporary));
}

}  // namespace folder_copy_test
}  // namespace benchbench
