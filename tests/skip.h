// Catch2 2.13 has no SKIP: this one prints the reason, counts, and leaves the test.
#pragma once
#include <catch2/catch.hpp>
#include <string>

namespace benchbench::test {
// Notes that the running case was skipped. Use the macro.
void skip(const std::string& reason);
}  // namespace benchbench::test

#define BENCHBENCH_SKIP(reason)       \
  do {                                \
    benchbench::test::skip((reason)); \
    SUCCEED("skipped");               \
    return;                           \
  } while (false)
