// Freed memory that is kept.
#include <catch2/catch.hpp>

#include <sys/resource.h>

#include <memory>

#include "harness/core/memory/allocator.h"

namespace benchbench {
namespace {

long page_faults() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_minflt;
}

// More than what glibc keeps by itself, in some ms.
void use_memory() {
  constexpr std::size_t kBytes = 64 << 20;
  const std::unique_ptr<volatile char[]> bytes(new volatile char[kBytes]);
  for (std::size_t i = 0; i < kBytes; i += 4096) bytes[i] = 1;
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

}  // namespace benchbench
