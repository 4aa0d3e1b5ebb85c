#include "harness/core/child_process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>

#include <sys/wait.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <set>
#include <sstream>
#include <string>

#include "harness/core/error.h"
#include "tests/hang.h"
#include "tests/skip.h"

namespace benchbench {
namespace child_process_test {

ChildStart shell(const std::string& script) { return {"/bin/sh", {"-c", script}, {}, {}}; }

std::string all_of(Descriptor& from) {
  std::string text;
  char bytes[256];
  for (ssize_t n = 0; (n = ::read(from.get(), bytes, sizeof bytes)) > 0;)
    text.append(bytes, static_cast<std::size_t>(n));
  return text;
}

// What the child writes to its descriptor `fd`.
std::string said_by(ChildStart start, int fd = 3) {
  Pipe pipe = make_pipe();
  start.descriptors.push_back({fd, pipe.write.get()});
  ChildProcess child(start);
  pipe.write.close();
  return all_of(pipe.read);
}

TEST_CASE("child process: how it ended, in numbers and in words", "[unit][core]") {
  const auto ending = [](const char* script) { return ChildProcess(shell(script)).await_end(); };
  CHECK(ending("exit 0").good());
  CHECK(ending("exit 0").text() == "");
  CHECK(ending("exit 3").status == 3);
  CHECK(ending("exit 3").text() == "exited with status 3");
  CHECK_FALSE(ending("exit 3").good());
  CHECK(ending("kill -SEGV $$").signal == SIGSEGV);
  CHECK(ending("kill -SEGV $$").text() == "killed by SIGSEGV (Segmentation fault)");
  CHECK(ending("kill -KILL $$").text() ==
        "killed by SIGKILL (Killed): out of memory, or killed by hand");
  CHECK(ChildEnd{127, 0}.text() == "could not be started");
  CHECK(signal_name(SIGABRT) == "SIGABRT");
  CHECK(signal_name(SIGRTMIN + 6) == "signal " + std::to_string(SIGRTMIN + 6));
}

TEST_CASE("child process: a program that is not there is an error that says so", "[unit][core]") {
  CHECK_THROWS_WITH(ChildProcess({"/no/such/program", {}, {}, {}}),
                    "/no/such/program cannot be started: No such file or directory");
  CHECK_THROWS_AS(ChildProcess({"/tmp", {}, {}, {}}), PartError);
}

TEST_CASE("child process: too few descriptors for its wiring is an error that says so",
          "[unit][core]") {
  struct rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
  const auto complaint_with = [&](rlim_t limit) {
    std::string said;
    const Pipe in = make_pipe();
    ChildStart start = shell("exit 0");
    start.descriptors = {{0, in.read.get()}, {4, ChildStart::kNull}};
    const struct rlimit few{limit, before.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &few);
    try {
      ChildProcess child(start);
      said = "started: " + child.await_end().text();
    } catch (const PartError& e) {
      said = e.what();
    }
    ::setrlimit(RLIMIT_NOFILE, &before);
    return said;
  };
  // Whatever is open here: with the limits between none and enough, each step of it is the first
  // that fails.
  bool wired = false;
  for (rlim_t limit = 4; limit < 512 && !wired; ++limit) {
    const std::string said = complaint_with(limit);
    INFO("limit " << limit);
    wired = said == "started: ";
    if (!wired) CHECK_THAT(said, Catch::EndsWith(": Too many open files"));
  }
  CHECK(wired);
}

TEST_CASE("child process: arguments and environment arrive", "[unit][core]") {
  CHECK(said_by({"/bin/sh", {"-c", "echo $1 >&3", "sh", "a  b"}, {}, {}}) == "a b\n");
  ::setenv("BENCHBENCH_CHILD_KEPT", "kept", 1);
  ::setenv("BENCHBENCH_CHILD_REPLACED", "old", 1);
  std::istringstream told(said_by(
      {"/usr/bin/env", {}, {"BENCHBENCH_CHILD_REPLACED=new", "BENCHBENCH_CHILD_ADDED=too"}, {}},
      1));
  std::set<std::string> ours;
  for (std::string line; std::getline(told, line);)
    if (line.starts_with("BENCHBENCH_CHILD_")) ours.insert(line);
  CHECK(ours == std::set<std::string>{"BENCHBENCH_CHILD_KEPT=kept", "BENCHBENCH_CHILD_REPLACED=new",
                                      "BENCHBENCH_CHILD_ADDED=too"});
}

TEST_CASE("child process: a descriptor is what it is wired to, the others stay here",
          "[unit][core]") {
  const Pipe ours[] = {make_pipe(), make_pipe()};
  const int extra = ours[1].write.get();  // beyond 3 and 4, which are wired
  ChildStart start =
      shell("read word; echo in:$word >&3; [ -e /proc/$$/fd/" + std::to_string(extra) +
            " ] && echo leaked >&3; [ /proc/$$/fd/4 -ef /dev/null ] || echo not null >&3; exit 0");
  start.descriptors = {{0, ChildStart::kNull}, {4, ChildStart::kNull}};
  CHECK(said_by(start) == "in:\n");
}

TEST_CASE("child process: descriptors that sit on each other's numbers are wired crosswise",
          "[unit][core]") {
  Pipe a = make_pipe(), b = make_pipe();
  if (b.write.get() > 9)
    BENCHBENCH_SKIP("this process has so many descriptors that a shell cannot name the next");
  ChildStart start = shell("echo to a >&" + std::to_string(b.write.get()) + "; echo to b >&" +
                           std::to_string(a.write.get()));
  start.descriptors = {{b.write.get(), a.write.get()}, {a.write.get(), b.write.get()}};
  CHECK(ChildProcess(start).await_end().good());
  a.write.close();
  b.write.close();
  CHECK(all_of(a.read) == "to a\n");
  CHECK(all_of(b.read) == "to b\n");
}

TEST_CASE("child process: signals are at their defaults there, whatever they are here",
          "[unit][core]") {
  const auto before = ::signal(SIGPIPE, SIG_IGN);
  CHECK(ChildProcess(shell("kill -PIPE $$; exit 0")).await_end().signal == SIGPIPE);
  ::signal(SIGPIPE, before);
}

TEST_CASE("child process: its end takes what it left in its group with it", "[unit][core]") {
  Pipe pipe = make_pipe();
  const auto start_with = [&](const char* script) {
    ChildStart start = shell(script);
    start.descriptors = {{3, pipe.write.get()}};
    return start;
  };
  SECTION("where it ended by itself") {
    ChildProcess child(start_with("sleep 1000 & exit 4"));
    pipe.write.close();
    CHECK(child.await_end().status == 4);
    CHECK(all_of(pipe.read) == "");  // ends: nobody holds the other end any more
    child.kill_group();              // nothing, whoever has its number now
  }
  SECTION("but nothing where another reaped it: its number may come again") {
    Pipe input = make_pipe();
    ChildStart start = start_with("(read line <&4; echo goes on >&3) & exit 0");
    start.descriptors.push_back({4, input.read.get()});
    {
      ChildProcess child(start);
      CHECK(::waitpid(child.pid(), nullptr, 0) == child.pid());
    }
    pipe.write.close();
    CHECK(::write(input.write.get(), "\n", 1) == 1);
    CHECK(all_of(pipe.read) == "goes on\n");
  }
  SECTION("where nobody waited for it") {
    {
      ChildProcess child(start_with("sleep 1000 & sleep 1000"));
    }
    pipe.write.close();
    CHECK(all_of(pipe.read) == "");
  }
}

TEST_CASE("child process: a wait ends with its deadline, and sees the end that came",
          "[unit][core]") {
  ChildProcess child(shell("exec sleep 1000"));
  CHECK_FALSE(child.wait_until(std::chrono::steady_clock::now()).has_value());
  CHECK_FALSE(child.wait_until(std::chrono::steady_clock::now() + std::chrono::milliseconds{20})
                  .has_value());
  child.send_signal(SIGTERM);
  const auto end = child.wait_until(std::chrono::steady_clock::now() + test::kHang);
  REQUIRE(end.has_value());
  CHECK(end->signal == SIGTERM);
  CHECK(child.await_end().signal == SIGTERM);
}

}  // namespace child_process_test
}  // namespace benchbench
