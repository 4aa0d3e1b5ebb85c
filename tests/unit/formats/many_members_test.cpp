// A tar of very many members of nothing: what opening it costs grows with their number and no
// faster.
#include <malloc.h>

#include <catch2/catch.hpp>

#include "scenarios/formats/shards/tar_header.h"
#include "tests/unit/formats/places.h"

namespace benchbench::test::many_members {
namespace {

struct Cost {
  std::uint64_t reads = 0;  // system calls
  std::uint64_t bytes = 0;  // of memory that is kept
};

std::uint64_t reads_so_far() {
  std::ifstream io("/proc/self/io");
  std::string word;
  std::uint64_t value = 0;
  while (io >> word >> value)
    if (word == "syscr:") return value;
  return 0;
}

std::uint64_t memory_now() {
  const auto info = ::mallinfo2();
  return info.uordblks + info.hblkhd;
}

Cost cost_of_opening(const TestFolder& folder, std::uint64_t members) {
  const std::string path = folder.at("many.tar");
  {
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    char name[24];
    for (std::uint64_t i = 0; i < members; ++i) {
      std::snprintf(name, sizeof name, "c%u/%010u.jpg", static_cast<unsigned>(i % 10),
                    static_cast<unsigned>(i));
      file << tar::make_header(name, 0);
    }
    file << std::string(1024, '\0');
  }
  const std::uint64_t reads = reads_so_far(), bytes = memory_now();
  const auto archive = open_archive("tar", path);
  REQUIRE(archive->layout().samples == members);
  CHECK(archive->classes() == 10);
  return {reads_so_far() - reads, memory_now() - bytes};
}

TEST_CASE("many members: a tar of 100,000 costs ten times what one of 10,000 costs",
          "[unit][formats]") {
  const TestFolder folder;
  ::setenv("BENCHBENCH_CACHE", "/proc/nowhere", 1);  // walked, and not kept
  const Cost few = cost_of_opening(folder, 10'000), many = cost_of_opening(folder, 100'000);
  INFO(few.reads << " and " << many.reads << " reads, " << few.bytes << " and " << many.bytes
                 << " bytes");
  CHECK(many.reads >= 1'000);
  CHECK(many.reads <= 11 * few.reads);
  CHECK(many.reads <= 110'000);
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return;  // a sanitizer's allocator does not say
#endif
  // 36 bytes and a name of 17 a sample, in vectors with up to as much room again.
  CHECK(many.bytes >= 100'000 * 50);
  CHECK(many.bytes <= 100'000 * (36 + 18) * 2 + (1 << 20));
}

}  // namespace
}  // namespace benchbench::test::many_members
