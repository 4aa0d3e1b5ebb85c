// Our own Catch2 main: exits 77 when something was skipped and nothing failed, so that ctest shows it as skipped.
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>

#include "tests/skip.h"

namespace benchbench::test {
int& skipped() {
  static int count = 0;
  return count;
}
}  // namespace benchbench::test

int main(int argc, char** argv) {
  Catch::Session session;
  if (const int usage = session.applyCommandLine(argc, argv)) return usage;
  const int failed = session.run();
  if (failed == 0 && benchbench::test::skipped() > 0) return 77;
  return failed;
}
