// Our own Catch2 main. It exits 77 when a case was skipped or not judged and none failed, so that
// ctest shows the row as skipped; it fails where a filter chooses nothing, and where a case calls
// exit(). Cases tagged [.all] run where BENCHBENCH_TEST_ALL is set, or where a filter names them.
// Into the file that BENCHBENCH_TEST_COUNTS names it writes, for scripts/test
// (tests/run/verdict.py):
//   started PROGRAM CASES
//   skipped PROGRAM CASE: REASON
//   unjudged PROGRAM CASE: REASON
//   ended PROGRAM PASSED FAILED SKIPPED UNJUDGED
#define CATCH_CONFIG_RUNNER
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>

#include "tests/skip.h"
#include "tests/sweep.h"

namespace benchbench::test {
namespace {

struct CaseCounts {
  int passed = 0, failed = 0, skipped = 0, unjudged = 0;
} counts;

std::string program_name;
std::string running;  // the case
enum class Outcome { judged, skipped, unjudged } outcome = Outcome::judged;
std::string why_left;  // the case that runs, if it is not judged
bool in_main = false;
pid_t main_process = 0;

// One short append: lines of programs that run together do not mix.
void note(const std::string& what, const std::string& rest) {
  const char* file = std::getenv("BENCHBENCH_TEST_COUNTS");
  FILE* to = file ? std::fopen(file, "a") : nullptr;
  if (!to) return;
  std::fprintf(to, "%s %s %s\n", what.c_str(), program_name.c_str(), rest.c_str());
  std::fclose(to);
}

struct CaseCounter final : Catch::TestEventListenerBase {
  using TestEventListenerBase::TestEventListenerBase;
  void testCaseStarting(const Catch::TestCaseInfo& info) override {
    TestEventListenerBase::testCaseStarting(info);
    running = info.name;
    outcome = Outcome::judged;
  }
  void testCaseEnded(const Catch::TestCaseStats& stats) override {
    if (stats.totals.assertions.failed > 0) {
      ++counts.failed;
    } else if (outcome == Outcome::judged) {
      ++counts.passed;
    } else {
      ++(outcome == Outcome::skipped ? counts.skipped : counts.unjudged);
      note(outcome == Outcome::skipped ? "skipped" : "unjudged", running + ": " + why_left);
    }
  }
};
CATCH_REGISTER_LISTENER(CaseCounter)

// exit(0) in a case, or in what it calls, would look like success. Children that a case forks may
// leave as they like.
void fail_if_main_did_not_return() {
  if (!in_main || ::getpid() != main_process) return;
  std::fprintf(stderr, "exit() was called in the test case '%s'\n", running.c_str());
  std::fflush(nullptr);
  ::_exit(3);
}

// Returns how many cases the filters choose; 0, with the reason on stderr, where one of them
// chooses none.
std::size_t chosen_cases(const Catch::Config& config) {
  const std::vector<Catch::TestCase>& all = Catch::getAllTestCasesSorted(config);
  std::set<const Catch::TestCase*> chosen;
  const Catch::TestSpec& filters = config.testSpec();
  for (const std::string& filter : filters.getInvalidArgs()) {
    std::fprintf(stderr, "no filter of test cases: '%s'\n", filter.c_str());
    return 0;
  }
  const auto matches = filters.matchesByFilter(all, config);
  for (const auto& match : matches) {
    if (match.tests.empty()) {
      std::fprintf(stderr, "no test case matches '%s'\n", match.name.c_str());
      return 0;
    }
    chosen.insert(match.tests.begin(), match.tests.end());
  }
  if (matches.empty())
    for (const Catch::TestCase& one : all)
      if (!one.isHidden()) chosen.insert(&one);
  if (chosen.empty()) std::fprintf(stderr, "there is no test case\n");
  return chosen.size();
}

int run_cases(Catch::Session& session) {
  const std::size_t chosen = chosen_cases(session.config());
  note("started", std::to_string(chosen));
  if (chosen == 0) return 1;
  const int result = session.run();
  note("ended", std::to_string(counts.passed) + " " + std::to_string(counts.failed) + " " +
                    std::to_string(counts.skipped) + " " + std::to_string(counts.unjudged));
  if (result != 0) return 1;  // never Catch2's count of failures, which could be 77
  return counts.skipped + counts.unjudged > 0 ? 77 : 0;
}

// Keeps the first reason of a case: a later one changes nothing.
void leave(Outcome why, const char* printed, const std::string& reason) {
  std::printf("%s: %s: %s\n", printed, running.c_str(), reason.c_str());
  std::fflush(stdout);
  if (outcome == Outcome::judged) {
    why_left = reason.substr(0, reason.find('\n'));
    outcome = why;
  }
}

// Adds the cases tagged [.all] to the others, where the program has such and no filter was given.
void choose_all(Catch::Session& session) {
  if (!all_are_asked_for() || !session.configData().testsOrTags.empty()) return;
  for (const Catch::TestCase& one : Catch::getAllTestCasesSorted(session.config())) {
    if (std::count(one.tags.begin(), one.tags.end(), "all") == 0) continue;
    Catch::ConfigData data = session.configData();
    data.testsOrTags = {"~[.],[all]"};
    session.useConfigData(data);
    return;
  }
}

}  // namespace

void skip(const std::string& reason) { leave(Outcome::skipped, "SKIPPED", reason); }

void leave_unjudged(const std::string& reason) { leave(Outcome::unjudged, "NOT JUDGED", reason); }

}  // namespace benchbench::test

int main(int argc, char** argv) {
  using namespace benchbench::test;
  program_name = argv[0];
  program_name.erase(0, program_name.rfind('/') + 1);
  main_process = ::getpid();
  in_main = true;
  std::atexit(fail_if_main_did_not_return);
  std::at_quick_exit(fail_if_main_did_not_return);
  Catch::Session session;
  int code = session.applyCommandLine(argc, argv);
  if (code == 0) {
    const Catch::ConfigData& asked = session.configData();
    const bool lists = asked.showHelp || asked.listTests || asked.listTags || asked.listReporters ||
                       asked.listTestNamesOnly;
    if (!lists) choose_all(session);
    code = lists ? (session.run(), 0) : run_cases(session);
  }
  in_main = false;
  return code;
}
