#include "harness/core/process_mark.h"

#include <sched.h>
#include <signal.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <vector>

#include "harness/core/child_process.h"
#include "tests/hang.h"

namespace benchbench {
namespace process_mark_test {

ChildStart shell(const std::string& script, const std::string& mark) {
  return {.program = "/bin/sh",
          .arguments = {"-c", script},
          .environment = {mark},
          .descriptors = {{0, ChildStart::kNull}}};
}

std::string name_of_process(int pid) {
  std::string name;
  std::getline(std::ifstream("/proc/" + std::to_string(pid) + "/comm"), name);
  return name;
}

// Once they are what they are to become.
std::vector<int> sleepers_of(const std::string& mark, std::size_t expected) {
  const auto until = std::chrono::steady_clock::now() + test::kHang;
  for (;;) {
    std::vector<int> found = marked_processes(mark);
    std::erase_if(found, [](int pid) { return name_of_process(pid) != "sleep"; });
    if (found.size() == expected || std::chrono::steady_clock::now() > until) return found;
  }
}

TEST_CASE("process mark: all that a child started is found, wherever it is, and nothing else",
          "[unit][core]") {
  const std::string mark = new_process_mark(), other = new_process_mark();
  REQUIRE(mark != other);
  // The first of them is a sleep, too: a shell that waits for the others would leave by itself once
  // they are killed.
  ChildProcess marked(shell(
      "sleep 600 & setsid sleep 600 & (setsid sleep 600 &) ; env -i sleep 600 & exec sleep 600",
      mark));
  ChildProcess unmarked(shell("sleep 600 & wait", other));
  CHECK(sleepers_of(other, 1).size() == 1);
  CHECK(sleepers_of(mark, 5).size() == 5);  // one of them without the mark, below one that has it
  CHECK(marked_processes("BENCHBENCH_PROCESS_MARK=no such one").empty());
  CHECK(kill_marked(mark, test::kHang) == 0);
  CHECK(marked_processes(mark).empty());
  CHECK(marked.await_end().signal == SIGKILL);
  CHECK(sleepers_of(other, 1).size() == 1);
  CHECK(kill_marked(other, test::kHang) == 0);
}

TEST_CASE("process mark: what has ended is no part of it", "[unit][core]") {
  const std::string mark = new_process_mark();
  ChildProcess child(shell("exit 0", mark));
  child.await_end();
  CHECK(kill_marked(mark, test::kHang) == 0);
}

// Keeps this thread, and the children it starts, on the core it runs on.
class OneCore {
 public:
  OneCore() {
    ::sched_getaffinity(0, sizeof all_, &all_);
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(::sched_getcpu(), &one);
    ::sched_setaffinity(0, sizeof one, &one);
  }
  ~OneCore() { ::sched_setaffinity(0, sizeof all_, &all_); }

 private:
  cpu_set_t all_;
};

// ChildProcess returns in the middle of the child's exec, when neither the old environment nor the
// new one can be read; on one core the child gets no further before it is looked for.
TEST_CASE("process mark: a process that is being started is found", "[unit][core]") {
  const OneCore one_core;
  for (int i = 0; i < 200; ++i) {
    const std::string mark = new_process_mark();
    ChildProcess child(shell("exec sleep 600", mark));
    REQUIRE(kill_marked(mark, test::kHang) == 0);
    REQUIRE(marked_processes(mark).empty());
  }
}

}  // namespace process_mark_test
}  // namespace benchbench
