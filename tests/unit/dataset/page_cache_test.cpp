#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/vfs.h>

#include <fcntl.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <stdexcept>

#include "harness/dataset/page_cache.h"
#include "tests/skip.h"
#include "tests/unit/dataset/places.h"

namespace benchbench::page_cache_test {
namespace {

using test::TemporaryFolder;
using test::write_text;

constexpr int kFiles = 8;
constexpr std::size_t kBytes = 256 * 1024;

// Eight files, two folders deep.
class Files {
 public:
  Files() {
    for (int i = 0; i < kFiles; ++i) write_text(path(i), std::string(kBytes, static_cast<char>('a' + i)));
  }
  std::string path(int i) const {
    return folder_.path("class" + std::to_string(i % 2) + "/" + std::to_string(i));
  }
  std::string root() const { return folder_.path(); }

 private:
  TemporaryFolder folder_;
};

}  // namespace

TEST_CASE("page cache: a folder's files are evicted, proven to be, and warmed", "[unit][dataset]") {
  const Files files;
  PageCache cache(files.root());
  if (!cache.why_not().empty()) BENCHBENCH_SKIP("temporary folder: " + cache.why_not());
  CHECK_FALSE(cache.method().empty());
  CHECK(cache.bytes() == kFiles * kBytes);
  cache.warm({});
  CHECK(cache.resident(true, {}) == 1);
  CHECK(cache.resident(false, {}) == 1);
  cache.evict({});
  CHECK(cache.resident(true, {}) == 0);
  CHECK(cache.resident(false, {}) == 0);
  const std::string one = test::read_text(files.path(3));  // by whomever
  CHECK(cache.resident(true, {}) == Approx(1.0 / kFiles));
  PageCache file(files.path(3));
  CHECK(file.why_not().empty());
  CHECK(file.resident(true, {}) == 1);  // finding out how to ask took nothing away
}

TEST_CASE("page cache: a mapped file stays, and is told", "[unit][dataset]") {
  const Files files;
  PageCache cache(files.root());
  if (!cache.why_not().empty()) BENCHBENCH_SKIP("temporary folder: " + cache.why_not());
  const int file = ::open(files.path(5).c_str(), O_RDONLY | O_CLOEXEC);
  void* mapped = ::mmap(nullptr, kBytes, PROT_READ, MAP_SHARED | MAP_POPULATE, file, 0);
  REQUIRE(mapped != MAP_FAILED);
  cache.warm({});
  cache.evict({});
  CHECK(cache.resident(true, {}) == Approx(1.0 / kFiles));
  ::munmap(mapped, kBytes);
  ::close(file);
  cache.evict({});
  CHECK(cache.resident(true, {}) == 0);
}

TEST_CASE("page cache: every way of asking that tells the truth tells the same", "[unit][dataset]") {
  const Files files;
  const int file = ::open(files.path(0).c_str(), O_RDONLY | O_CLOEXEC);
  REQUIRE(file >= 0);
  PageCache cache(files.root());
  const bool provable = cache.why_not().empty();
  int truthful = 0;
  for (const ResidencyMethod& method : residency_methods()) {
    const std::string warm = test::read_text(files.path(0));
    const auto there = method.ask(file, kBytes, 4);
    drop_pages(file);
    const auto gone = method.ask(file, kBytes, 4);
    if (!there || !gone) continue;
    INFO(method.name);
    CHECK(there->looked_at > 0);
    truthful += there->share() >= 0.95 && gone->share() <= 0.05;
  }
  ::close(file);
  CHECK((truthful > 0) == provable);
}

TEST_CASE("page cache: what can be neither proven nor evicted says why", "[unit][dataset]") {
  CHECK(unprovable_file_system(0x6969).find("NFS") == 0);
  CHECK(unprovable_file_system(0x65735546).find("FUSE") == 0);
  CHECK(unprovable_file_system(0x2fc12fc1).find("ZFS") == 0);
  CHECK(unprovable_file_system(0xEF53).empty());  // ext4

  const TemporaryFolder folder;
  CHECK_FALSE(PageCache(folder.path()).why_not().empty());  // no file in it
  CHECK(PageCache(folder.path("absent")).why_not().find("No such file") != std::string::npos);

  struct statfs system {};
  if (::statfs("/dev/shm", &system) != 0 || system.f_type != 0x01021994 || ::access("/dev/shm", W_OK) != 0)
    return;
  std::string name = "/dev/shm/benchbench-test-XXXXXX";
  const int file = ::mkstemp(name.data());
  REQUIRE(file >= 0);
  PageCache memory(name);
  CHECK(memory.why_not().find("tmpfs") == 0);
  CHECK(memory.method().empty());
  ::close(file);
  ::unlink(name.c_str());
}

TEST_CASE("page cache: a file that cannot be asked is not taken for one that is gone from memory", "[unit][dataset]") {
  const Files files;
  PageCache cache(files.root());
  if (!cache.why_not().empty()) BENCHBENCH_SKIP("temporary folder: " + cache.why_not());
  if (cache.method() != "mincore") BENCHBENCH_SKIP("files are not mapped to ask of them");
  // A file of holes larger than the address space that is left.
  constexpr rlim_t kHoles = 512u << 20, kLeft = 64u << 20;
  const std::string hollow = files.path(1) + "-holes";
  write_text(hollow, "");
  REQUIRE(::truncate(hollow.c_str(), kHoles) == 0);
  PageCache whole(files.root());
  REQUIRE(whole.why_not().empty());
  const rlim_t used = std::stoull(test::read_text("/proc/self/statm")) * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE));
  if (used > (rlim_t{1} << 40)) BENCHBENCH_SKIP("a sanitizer needs the address space");
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_AS, &before) == 0);
  const rlimit tight{used + kLeft, before.rlim_max};
  REQUIRE(::setrlimit(RLIMIT_AS, &tight) == 0);
  whole.resident(true, {});
  const std::string why = whole.why_not();
  REQUIRE(::setrlimit(RLIMIT_AS, &before) == 0);
  CHECK(why.find("-holes could not be asked") != std::string::npos);
  CHECK(why.find("Cannot allocate memory") != std::string::npos);
}

TEST_CASE("page cache: a stop ends a long call", "[unit][dataset]") {
  const Files files;
  PageCache cache(files.root());
  const auto stop = [] { throw std::runtime_error("stopped"); };
  CHECK_THROWS_WITH(cache.evict(stop), "stopped");
  CHECK_THROWS_WITH(cache.warm(stop), "stopped");
}

}  // namespace benchbench::page_cache_test
