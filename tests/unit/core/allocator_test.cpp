// Freed memory that is kept.
#include <catch2/catch.hpp>

#include <sys/resource.h>

#include <memory>

#include "harness/core/allocator.h"

namespace benchbench {
namespace {

long page_faults() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_minflt;
}

using Memory = std::unique_ptr<volatile char[]>;
constexpr std::size_t kUsed = 64 << 20;  // more than what glibc keeps by itself, in some ms

Memory take_memory(std::size_t bytes, std::size_t used) {
  Memory memory(new volatile char[bytes]);
  for (std::size_t i = 0; i < used; i += 4096) memory[i] = 1;
  return memory;
}

void use_memory() { take_memory(kUsed, kUsed); }

// Two neighbours, of which little is used.
void use_large_blocks() {
  const Memory one = take_memory(600u << 20, 1 << 20), other = take_memory(600u << 20, 1 << 20);
}

}  // namespace

TEST_CASE("allocator: memory that is freed and asked for again costs no page faults",
          "[unit][core]") {
#ifdef BENCHBENCH_SANITIZED
  return;  // sanitizers bring an allocator of their own
#endif
  keep_freed_memory();
  REQUIRE(allocator_text().find("kept") != std::string::npos);
  use_memory();
  const long before = page_faults();
  use_memory();
  const long kept = page_faults();
  CHECK(kept - before < 10);
  release_freed_memory();
  use_memory();
  CHECK(page_faults() - kept >= 10);
}

// A step's gradient and another tensor of its size: both at the heap's end, and more than 1 GiB.
TEST_CASE("allocator: two large blocks are kept though they are one free block", "[unit][core]") {
#ifdef BENCHBENCH_SANITIZED
  return;
#endif
  keep_freed_memory();
  use_large_blocks();
  const long before = page_faults();
  use_large_blocks();
  CHECK(page_faults() - before < 10);
  release_freed_memory();
}

}  // namespace benchbench
