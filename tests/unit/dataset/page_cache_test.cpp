#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/vfs.h>

#include <fcntl.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <stdexcept>

#include "harness/dataset/page_cache.h"
#include "tests/skip.h"
#include "tests/unit/dataset/kernels_word.h"

namespace benchbench::page_cache_test {
namespace {

using test::drop_from_cache;
using test::nothing_to_prove;
using test::TemporaryFolder;
using test::write_text;

constexpr int kFiles = 8;
constexpr std::size_t kBytes = 256 * 1024;

long pages_of(const std::string& path) { return test::resident_pages(path, kBytes); }
long pages_of_a_file() { return static_cast<long>(kBytes) / ::sysconf(_SC_PAGESIZE); }

// Eight files, two folders deep.
class Files {
 public:
  Files() {
    for (int i = 0; i < kFiles; ++i)
      write_text(path(i), std::string(kBytes, static_cast<char>('a' + i)));
  }
  std::string path(int i) const {
    return folder_.path("class" + std::to_string(i % 2) + "/" + std::to_string(i));
  }
  std::string root() const { return folder_.path(); }
  // As the kernel has it, of each file.
  std::vector<long> pages() const {
    std::vector<long> all;
    for (int i = 0; i < kFiles; ++i) all.push_back(pages_of(path(i)));
    return all;
  }

 private:
  TemporaryFolder folder_;
};

}  // namespace

TEST_CASE("page cache: a folder's files are evicted, proven to be, and warmed", "[unit][dataset]") {
  const Files files;
  if (const std::string why = nothing_to_prove(files.root()); !why.empty())
    BENCHBENCH_SKIP("temporary folder: " + why);
  const std::vector<long> none(kFiles, 0), all(kFiles, pages_of_a_file());
  PageCache cache(files.root());
  REQUIRE(cache.why_not() == "");
  // It is the best method that is right; the kernel's word was had by it too.
  CHECK(cache.method() == "mincore");
  CHECK(cache.bytes() == kFiles * kBytes);
  cache.warm({});
  CHECK(files.pages() == all);
  CHECK(cache.resident(true, {}) == 1);
  CHECK(cache.resident(false, {}) == 1);
  cache.evict({});
  CHECK(files.pages() == none);
  CHECK(cache.resident(true, {}) == 0);
  CHECK(cache.resident(false, {}) == 0);
  const std::string one = test::read_text(files.path(3));  // by whomever
  CHECK(pages_of(files.path(3)) == pages_of_a_file());
  CHECK(cache.resident(true, {}) == Approx(1.0 / kFiles));
  PageCache file(files.path(3));
  CHECK(file.why_not() == "");
  CHECK(pages_of(files.path(3)) == pages_of_a_file());  // finding out how to ask took nothing away
  CHECK(file.resident(true, {}) == 1);
}

TEST_CASE("page cache: finding out how to ask leaves cold files cold", "[unit][dataset]") {
  const Files files;
  if (const std::string why = nothing_to_prove(files.root()); !why.empty())
    BENCHBENCH_SKIP("temporary folder: " + why);
  for (int i = 0; i < kFiles; ++i) drop_from_cache(files.path(i));
  PageCache cache(files.root());
  CHECK(cache.why_not() == "");
  CHECK(cache.resident(true, {}) == 0);
  CHECK(files.pages() == std::vector<long>(kFiles, 0));
}

TEST_CASE("page cache: a mapped file stays, and is told", "[unit][dataset]") {
  const Files files;
  if (const std::string why = nothing_to_prove(files.root()); !why.empty())
    BENCHBENCH_SKIP("temporary folder: " + why);
  PageCache cache(files.root());
  REQUIRE(cache.why_not() == "");
  const int file = ::open(files.path(5).c_str(), O_RDONLY | O_CLOEXEC);
  void* mapped = ::mmap(nullptr, kBytes, PROT_READ, MAP_SHARED | MAP_POPULATE, file, 0);
  REQUIRE(mapped != MAP_FAILED);
  cache.warm({});
  cache.evict({});
  CHECK(pages_of(files.path(5)) == pages_of_a_file());
  CHECK(cache.resident(true, {}) == Approx(1.0 / kFiles));
  ::munmap(mapped, kBytes);
  ::close(file);
  cache.evict({});
  CHECK(pages_of(files.path(5)) == 0);
  CHECK(cache.resident(true, {}) == 0);
}

TEST_CASE("page cache: every way of asking that the kernel answers tells what the kernel told us",
          "[unit][dataset]") {
  const Files files;
  const std::string path = files.path(0);
  if (const std::string why = nothing_to_prove(files.root()); !why.empty())
    BENCHBENCH_SKIP("temporary folder: " + why);
  const test::OpenFile file(path);
  REQUIRE(file.get() >= 0);
  ::posix_fadvise(file.get(), 0, 0, POSIX_FADV_RANDOM);  // reads nothing ahead
  int answered = 0;
  for (const ResidencyMethod& method : residency_methods()) {
    INFO(method.name);
    drop_pages(file.get());
    CHECK(pages_of(path) == 0);
    const auto gone = method.ask(file.get(), kBytes, 4);
    drop_pages(file.get());
    std::string half(kBytes / 2, ' ');
    REQUIRE(::pread(file.get(), half.data(), half.size(), 0) == static_cast<ssize_t>(half.size()));
    const long pages = pages_of(path);
    const auto some = method.ask(file.get(), kBytes, method.disturbs ? 4 : 1 << 20);
    const std::string warm = test::read_text(path);
    const auto there = method.ask(file.get(), kBytes, 4);
    if (!gone || !some || !there) continue;
    ++answered;
    CHECK(gone->looked_at > 0);
    // A thread that loses its core between two pages finds the second one read.
    if (method.disturbs && gone->resident > 0)
      BENCHBENCH_NOT_JUDGED("asking for a page starts to read the next ones, which came meanwhile");
    CHECK(gone->resident == 0);
    CHECK(some->share() == static_cast<double>(pages) / static_cast<double>(pages_of_a_file()));
    CHECK(there->resident == there->looked_at);
  }
  CHECK(answered >= 1);  // mincore, which the kernel answered us
}

TEST_CASE("page cache: what can be neither proven nor evicted says why", "[unit][dataset]") {
  CHECK(unprovable_file_system(0x6969).find("NFS") == 0);
  CHECK(unprovable_file_system(0x65735546).find("FUSE") == 0);
  CHECK(unprovable_file_system(0x2fc12fc1).find("ZFS") == 0);
  CHECK(unprovable_file_system(0xEF53).empty());  // ext4

  const TemporaryFolder folder;
  CHECK_FALSE(PageCache(folder.path()).why_not().empty());  // no file in it
  CHECK(PageCache(folder.path("absent")).why_not().find("No such file") != std::string::npos);

  struct statfs system{};
  if (::statfs("/dev/shm", &system) != 0 || system.f_type != 0x01021994 ||
      ::access("/dev/shm", W_OK) != 0)
    BENCHBENCH_SKIP("/dev/shm is no tmpfs that can be written to");
  std::string name = "/dev/shm/benchbench-test-XXXXXX";
  const int file = ::mkstemp(name.data());
  REQUIRE(file >= 0);
  PageCache memory(name);
  CHECK(memory.why_not().find("tmpfs") == 0);
  CHECK(memory.method().empty());
  ::close(file);
  ::unlink(name.c_str());
}

TEST_CASE("page cache: a file that cannot be asked is not taken for one that is gone from memory",
          "[unit][dataset]") {
  const Files files;
  if (const std::string why = nothing_to_prove(files.root()); !why.empty())
    BENCHBENCH_SKIP("temporary folder: " + why);
  // A file of holes larger than the address space that is left.
  constexpr rlim_t kHoles = 512u << 20, kLeft = 64u << 20;
  const std::string hollow = files.path(1) + "-holes";
  write_text(hollow, "");
  REQUIRE(::truncate(hollow.c_str(), kHoles) == 0);
  PageCache whole(files.root());
  REQUIRE(whole.why_not() == "");
  REQUIRE(whole.method() == "mincore");  // maps the files that it asks of
  const rlim_t used = std::stoull(test::read_text("/proc/self/statm")) *
                      static_cast<rlim_t>(::sysconf(_SC_PAGESIZE));
  if (used > (rlim_t{1} << 40)) BENCHBENCH_SKIP("a sanitizer needs the address space");
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_AS, &before) == 0);
  const rlimit tight{used + kLeft, before.rlim_max};
  REQUIRE(::setrlimit(RLIMIT_AS, &tight) == 0);
  whole.resident(true, {});
  const std::string why = whole.why_not();
  REQUIRE(::setrlimit(RLIMIT_AS, &before) == 0);
  CHECK(why.find("cannot determine how much of ") != std::string::npos);
  CHECK(why.find("Cannot allocate memory") != std::string::npos);
}

TEST_CASE(
    "page cache: links that lead round in circles, "
    "to a folder again or to the kernel's files add no file",
    "[unit][dataset]") {
  Files files;
  const std::filesystem::path root = files.root();
  std::filesystem::create_directory_symlink(root, root / "class0" / "round");
  std::filesystem::create_directory_symlink(root / "class1", root / "again");
  std::filesystem::create_directory_symlink("/proc", root / "kernel");
  PageCache cache(files.root());
  CHECK(cache.bytes() == kFiles * kBytes);
}

TEST_CASE("page cache: a stop ends a long call", "[unit][dataset]") {
  const Files files;
  PageCache cache(files.root());
  const auto stop = [] { throw std::runtime_error("stopped"); };
  CHECK_THROWS_WITH(cache.evict(stop), "stopped");
  CHECK_THROWS_WITH(cache.warm(stop), "stopped");
  if (const std::string why = nothing_to_prove(files.root()); !why.empty())
    BENCHBENCH_SKIP("temporary folder: " + why);
  CHECK_THROWS_WITH(cache.resident(true, stop), "stopped");
}

}  // namespace benchbench::page_cache_test
