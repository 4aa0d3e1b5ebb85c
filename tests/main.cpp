// Our own Catch2 main: exits 77 when something was skipped and nothing failed, so that ctest shows it as
// skipped, and counts cases into the file that BENCHBENCH_TEST_COUNTS names, for scripts/test.
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests/skip.h"

namespace benchbench::test {
namespace {

bool skipped_here = false;  // the running case

struct CaseCounts {
  int passed = 0, failed = 0, skipped = 0;
} counts;

struct CaseCounter final : Catch::TestEventListenerBase {
  using TestEventListenerBase::TestEventListenerBase;
  void testCaseStarting(const Catch::TestCaseInfo& info) override {
    TestEventListenerBase::testCaseStarting(info);
    skipped_here = false;
  }
  void testCaseEnded(const Catch::TestCaseStats& stats) override {
    if (stats.totals.assertions.failed > 0) {
      ++counts.failed;
    } else {
      ++(skipped_here ? counts.skipped : counts.passed);
    }
  }
};
CATCH_REGISTER_LISTENER(CaseCounter)

// One short append: lines of programs that end together do not mix.
void report_counts(const std::string& program) {
  const char* file = std::getenv("BENCHBENCH_TEST_COUNTS");
  FILE* to = file ? std::fopen(file, "a") : nullptr;
  if (!to) return;
  std::fprintf(to, "%s %d %d %d\n", program.substr(program.rfind('/') + 1).c_str(), counts.passed,
               counts.failed, counts.skipped);
  std::fclose(to);
}

}  // namespace

void skip(const std::string& reason) {
  std::printf("SKIPPED: %s: %s\n", Catch::getResultCapture().getCurrentTestName().c_str(), reason.c_str());
  std::fflush(stdout);
  skipped_here = true;
}

}  // namespace benchbench::test

int main(int argc, char** argv) {
  using namespace benchbench::test;
  Catch::Session session;
  if (const int usage = session.applyCommandLine(argc, argv)) return usage;
  const Catch::ConfigData& asked = session.configData();
  const int result = session.run();
  if (asked.showHelp || asked.listTests || asked.listTags || asked.listReporters || asked.listTestNamesOnly)
    return 0;
  report_counts(argv[0]);
  if (counts.passed + counts.failed + counts.skipped == 0) {
    std::fprintf(stderr, "no test case ran\n");
    return 1;
  }
  if (result != 0) return 1;  // never Catch2's count of failures, which could be 77
  return counts.skipped > 0 ? 77 : 0;
}
