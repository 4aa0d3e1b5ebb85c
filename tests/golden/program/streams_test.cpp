// Standard streams as callers leave them: closed, full, or read by one who leaves. Nothing that was
// measured is lost, and nothing that is printed lands in a file of the run.
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>

#include "harness/core/child_process.h"
#include "harness/core/process_tree.h"
#include "tests/golden/program/compare_runs.h"
#include "tests/places.h"

namespace benchbench::test {
namespace streams {

// Exit code of `benchbench words...` in a shell of its own.
int shell(const Scratch& folder, const std::string& words, const std::string& before = "") {
  const std::string line = before + "cd " + folder.path() +
                           " && BENCHBENCH_CACHE=" + folder.path("cache") + " " + program_path() +
                           " " + words;
  const int status = std::system(("bash -o pipefail -c '" + line + "'").c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

// Lines of the journal that are whole JSON objects; a line that is none fails the test.
std::size_t journal_lines(const Scratch& folder) {
  std::istringstream lines(read_file(folder.path("r/journal.jsonl")));
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line); ++count) CHECK(nlohmann::json::accept(line));
  return count;
}

// Until then it is a copy of its parent, which waits for it to become more.
bool runs_its_own_words(int pid) {
  return read_file("/proc/" + std::to_string(pid) + "/cmdline").find("child") != std::string::npos;
}

// True once the process has ended, though its new parent may not have noticed; false if it hangs.
bool ends(int pid) {
  const int process = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
  if (process < 0) return true;
  pollfd ended{process, POLLIN, 0};
  const bool did = ::poll(&ended, 1, 60'000) == 1;
  ::close(process);
  return did;
}

// Three trials in virtual time.
std::string short_run() {
  return "run tiny.yaml --clock simulated --rounds 1 --set measure.modes=loader --out r ";
}

// Eight rounds in virtual time, of which the first is hung up on.
std::vector<std::string> long_run() {
  return {"run", "tiny.yaml", "--clock", "simulated", "--rounds", "8", "--out", "r"};
}

}  // namespace streams

using namespace streams;

TEST_CASE(
    "streams: closed or full ones lose nothing of a run, "
    "and only an undelivered report is its exit code",
    "[golden]") {
  struct Case {
    const char* redirections;
    int code;
  };
  for (const Case& c :
       {Case{">o 2>e", 0}, Case{">o 2>&-", 0}, Case{">o 2>/dev/full", 0}, Case{"<&- >o 2>e", 0},
        Case{">&- 2>&-", 5}, Case{"<&- >&- 2>&-", 5}, Case{">/dev/full 2>e", 5},
        Case{">/dev/full 2>/dev/full", 5}, Case{"2>&1 >o | head -1 >f", 0}}) {
    CAPTURE(c.redirections);
    Scratch folder;
    folder.write("tiny.yaml", tiny_scenario());
    CHECK(shell(folder, short_run() + c.redirections) == c.code);
    CHECK(journal_lines(folder) >= 2);
    CHECK(read_file(folder.path("r/results.h5")).size() > 1000);
  }
}

TEST_CASE(
    "streams: a file beyond the size limit is an error with its cause, "
    "and what was finished is kept",
    "[golden]") {
  Scratch folder;
  folder.write("tiny.yaml", tiny_scenario());
  // `ulimit -f` counts in KiB.
  const std::string run = "run tiny.yaml --clock simulated --rounds 3 --out r ";
  CHECK(shell(folder, run + ">o 2>e", "ulimit -f 48; ") == 5);
  const std::string told = read_file(folder.path("e"));
  CAPTURE(told);
  CHECK(told.find("File too large") != std::string::npos);
  CHECK(told.find("r/journal.jsonl") != std::string::npos);
  const std::size_t kept = journal_lines(folder);
  CHECK(kept >= 2);
  CHECK(shell(folder, run + "--resume >o 2>e") == 0);
  CHECK(journal_lines(folder) > kept);
}

TEST_CASE("streams: a closed terminal ends neither a run nor its children", "[golden]") {
  Scratch folder;
  folder.write("tiny.yaml", tiny_scenario());
  Running running(folder, long_run());
  REQUIRE(running.wait_for_lines(folder.path("r/journal.jsonl"), 2));
  for (const ProcessSeen& p : descendants_of(running.pid()))
    if (runs_its_own_words(p.pid)) ::kill(p.pid, SIGHUP);
  running.signal(SIGHUP);
  const Ran ran = running.finish();
  CHECK(ran.code == 0);
  CHECK(journal_lines(folder) == 8 * 5);
  CHECK(ran.err.find("SIGHUP: the terminal was closed; this goes on\n") != std::string::npos);
  CHECK(ran.err.find("killed") == std::string::npos);
  CHECK(ran.out.find("tiny") != std::string::npos);
}

TEST_CASE("streams: under nohup there is no word of a closed terminal", "[golden]") {
  Scratch folder;
  folder.write("tiny.yaml", tiny_scenario());
  const auto before = ::signal(SIGHUP, SIG_IGN);
  Running running(folder, long_run());
  ::signal(SIGHUP, before);
  REQUIRE(running.wait_for_lines(folder.path("r/journal.jsonl"), 2));
  running.signal(SIGHUP);
  const Ran ran = running.finish();
  CHECK(ran.code == 0);
  CHECK(ran.err.find("SIGHUP") == std::string::npos);
}

TEST_CASE("streams: an output that is closed is refused by commands that print", "[golden]") {
  Scratch folder;
  CHECK(shell(folder, "--version >o 2>&-") == 0);
  CHECK(shell(folder, "--version >&- 2>&-") == 5);
  CHECK(shell(folder, "describe >/dev/full 2>/dev/full") == 5);
}

TEST_CASE("children: an exporter that is stopped does not hold its parent", "[golden]") {
  Scratch folder;
  store(folder, "r");
  Running exporting(folder, {"report", "r", "--h5"});
  int child = 0;
  for (int i = 0; i < 20'000 && child == 0; ++i) {
    const auto below = descendants_of(exporting.pid());
    if (!below.empty() && runs_its_own_words(below.front().pid)) child = below.front().pid;
  }
  REQUIRE(child > 0);
  ::kill(child, SIGSTOP);
  const Ran ran = exporting.finish();
  CHECK(ran.code == 1);
  CHECK(ran.err.find("the process writing results.h5 was stopped by a signal and did not go on "
                     "within 5 s; it was killed") != std::string::npos);
  CHECK_FALSE(see_process(child));
}

// The child of a run that is killed ends with its pipe, though its trial hangs. A run that is
// stopped waits for its child.
TEST_CASE("children: a run that is killed leaves nothing", "[golden]") {
  for (const auto& [signal, trainer] :
       {std::pair{SIGKILL, kHangingTrainer}, {SIGTERM, kSlowTrainer}, {SIGINT, kSlowTrainer}}) {
    CAPTURE(signal);
    Scratch folder;
    folder.write("long.yaml", loader_then(trainer));
    Running running(folder, {"run", "long.yaml", "--out", "r"});
    REQUIRE(running.wait_for_lines(folder.path("r/journal.jsonl"), 2));
    const auto below = descendants_of(running.pid());
    REQUIRE(below.size() >= 1);
    running.signal(signal);
    running.finish();
    for (const ProcessSeen& p : below) CHECK(ends(p.pid));
  }
}

}  // namespace benchbench::test
