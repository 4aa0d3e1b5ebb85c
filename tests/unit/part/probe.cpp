#include <signal.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <cstdlib>

#include "harness/part/child_probe.h"
#include "tests/hang.h"

namespace benchbench::probe_tests {

std::string ask(const char* script, Nanoseconds limit = test::kHang) {
  return ask_child({"/bin/sh", "-c", script}, limit);
}

TEST_CASE("probe: a child that ends well has no reason against it", "[unit][part]") {
  CHECK(ask("exit 0") == "");
  CHECK(ask("echo noise; echo a warning >&2; exit 0") == "");
}

TEST_CASE("probe: a child that fails is quoted by its first line, or by how it ended",
          "[unit][part]") {
  CHECK(ask("echo 'needs libtorch: no such file' >&2; echo more >&2; exit 3") ==
        "needs libtorch: no such file");
  CHECK(ask("exit 3") == "exit status 3");
  CHECK(ask("kill -SEGV $$") == "it crashed when loaded (SIGSEGV)");
  CHECK(ask("echo words >&2; kill -ABRT $$").find("SIGABRT") != std::string::npos);
  CHECK(ask_child({"/no/such/program"}, test::kHang).find("No such file") != std::string::npos);
}

TEST_CASE("probe: a child that writes without end or hangs is ended, with what it started",
          "[unit][part]") {
  const auto start = std::chrono::steady_clock::now();
  CHECK(ask("sleep 1000", std::chrono::milliseconds{50}) == "no answer within 50ms");
  CHECK(ask("sleep 1000 & exit 0", std::chrono::milliseconds{50}) == "no answer within 50ms");
  CHECK(ask("yes >&2", std::chrono::milliseconds{50}) == "no answer within 50ms");
  CHECK(std::chrono::steady_clock::now() - start < test::kHang);
}

TEST_CASE("probe: a child that stays has answered, and ends with what holds it", "[unit][part]") {
  int pid = 0;
  {
    const StayingChild child({"/bin/sh", "-c", "echo $$ >&2; exec 2>&-; read input"}, "",
                             test::kHang);
    CHECK(child.answer().why == "");
    pid = std::atoi(child.answer().words.c_str());
    REQUIRE(pid > 0);
    CHECK(::kill(pid, 0) == 0);
  }
  CHECK(::kill(pid, 0) != 0);
}

TEST_CASE("probe: a child that was to stay and gave no answer has a reason", "[unit][part]") {
  const auto why = [](const char* script, Nanoseconds limit = test::kHang) {
    return StayingChild({"/bin/sh", "-c", script}, "mark", limit).answer().why;
  };
  CHECK(why("exit 3") == "exit status 3");
  CHECK(why("echo a driver says so >&2; kill -SEGV $$") == "it crashed when loaded (SIGSEGV)");
  CHECK_THAT(StayingChild({"/bin/no-such-program"}, "mark", test::kHang).answer().why,
             Catch::Matchers::Contains("cannot be started"));
  CHECK_THAT(why("read input", std::chrono::milliseconds{20}),
             Catch::Matchers::StartsWith("no answer within"));
}

}  // namespace benchbench::probe_tests
