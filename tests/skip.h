// Catch2 2.13 has no SKIP: this one prints the reason, counts, and leaves the test.
#pragma once
#include <catch2/catch.hpp>
#include <iostream>

namespace benchbench::test {
int& skipped();
}
#define BENCHBENCH_SKIP(reason)                                              \
  do {                                                                       \
    std::cout << "SKIPPED: " << Catch::getResultCapture().getCurrentTestName() \
              << ": " << reason << std::endl;                                \
    ++benchbench::test::skipped();                                           \
    SUCCEED("skipped");                                                      \
    return;                                                                  \
  } while (false)
