// Not a test: cases that leave as tests/run/test_run.py must see them fail.
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>

#include "tests/skip.h"

TEST_CASE("first: passes") { SUCCEED(); }
TEST_CASE("first: runs where all are asked for", "[.all]") { SUCCEED(); }
TEST_CASE("second: calls exit(0)", "[.leaves]") { std::exit(0); }
TEST_CASE("second: calls quick_exit(0)", "[.leaves]") { std::quick_exit(0); }
TEST_CASE("second: calls _exit(0)", "[.leaves]") { ::_exit(0); }
TEST_CASE("second: is skipped", "[.leaves]") { BENCHBENCH_SKIP("no such device: here"); }
TEST_CASE("second: fails", "[.leaves]") { FAIL(); }
TEST_CASE("second: forks", "[.leaves]") {
  if (::fork() == 0) std::exit(0);
  SUCCEED();
}
