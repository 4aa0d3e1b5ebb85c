// A child that does not answer as it should: every exchange ends, and says why.
#include <signal.h>

#include <catch2/catch.hpp>

#include "harness/core/process_tree.h"
#include "harness/core/runtime.h"
#include "harness/process/framed_child.h"
#include "tests/at_most.h"
#include "tests/hang.h"

namespace benchbench::framed_child_test {
namespace {

using namespace std::chrono_literals;
using test::kHang;

FramedChild shell(const std::string& script) { return FramedChild("/bin/sh", {"-c", script}); }

void wait_for_state(int pid, char state) {
  const auto runtime = make_real_runtime();
  const TimePoint until = runtime->now() + kHang;
  while (see_process(pid).value_or(ProcessSeen{}).state != state && runtime->now() < until)
    runtime->spend(5ms, Spend::sleep);
  REQUIRE(see_process(pid).value_or(ProcessSeen{}).state == state);
}

}  // namespace

TEST_CASE("framed child: frames go both ways", "[unit][process]") {
  FramedChild child = shell("read line; printf 'echo 5\\n%.5s' \"$line\" >&3");
  CHECK(child.send("hello", "there\n"));
  Frame frame;
  REQUIRE(child.receive(frame, kHang) == FramedChild::Heard::frame);
  CHECK(frame.kind == "echo");
  CHECK(frame.payload == "hello");
  CHECK(child.why_given_up().empty());
  CHECK(child.receive(frame, kHang) == FramedChild::Heard::ended);
}

TEST_CASE("framed child: how it ended is a sentence behind its name", "[unit][process]") {
  const auto end_of = [](const char* script) { return as_predicate(shell(script).finish(kHang)); };
  CHECK(end_of("exit 3") == "exited with status 3");
  CHECK(end_of("exit 127") == "could not be started");
  CHECK(end_of("kill -TERM $$") == "was killed by SIGTERM (Terminated)");
  CHECK(as_predicate("did not exit and was killed") == "did not exit and was killed");
}

TEST_CASE("framed child: one that was stopped is given up after a while in which we looked",
          "[unit][process]") {
  FramedChild child = shell("kill -STOP $$; printf 'done 0\\n' >&3");
  wait_for_state(child.pid(), 'T');
  Frame frame;
  const auto began = std::chrono::steady_clock::now();
  // A look is 100 ms apart from the next one or more, and counts for 250 ms at most; so does the
  // time before the first one.
  std::string why;
  int looks = 0;
  for (; (why = child.why_given_up()).empty() && looks < 1000; ++looks) child.receive(frame, 100ms);
  CHECK(why == "was stopped by a signal and did not go on within 5 s");
  CHECK(looks <= 50);
  CHECK(std::chrono::steady_clock::now() - began >= 4750ms);
}

TEST_CASE("framed child: one that goes on in time is not", "[unit][process]") {
  FramedChild child = shell("kill -STOP $$; printf 'done 0\\n' >&3");
  wait_for_state(child.pid(), 'T');
  Frame frame;
  for (int i = 0; i < 5; ++i) {
    CHECK(child.receive(frame, 50ms) == FramedChild::Heard::nothing);
    CHECK(child.why_given_up().empty());
  }
  ::kill(child.pid(), SIGCONT);
  CHECK(child.receive(frame, kHang) == FramedChild::Heard::frame);
  CHECK(child.why_given_up().empty());
}

TEST_CASE("framed child: what it does not read does not hold us for ever, and it can be finished",
          "[unit][process]") {
  const std::string much(1 << 20, 'x');
  test::judge_longest("a child that reads nothing", FramedChild::kSendPatience + 2s, [&] {
    FramedChild child = shell("sleep 1000");
    const auto began = std::chrono::steady_clock::now();
    CHECK_FALSE(child.send("trial", much));
    const auto took = std::chrono::steady_clock::now() - began;
    CHECK(took >= FramedChild::kSendPatience);
    CHECK(child.why_given_up() == "did not read what it was sent for 10 s");
    CHECK(child.finish(50ms) == "did not exit and was killed");
    return took;
  });
}

TEST_CASE("framed child: sending to one that is gone fails at once", "[unit][process]") {
  ::signal(SIGPIPE, SIG_IGN);
  FramedChild child = shell("exit 3");
  wait_for_state(child.pid(), 'Z');
  CHECK_FALSE(child.send("trial", "x"));
  CHECK(child.why_given_up().empty());
  CHECK(child.finish(kHang) == "exited with status 3");
}

}  // namespace benchbench::framed_child_test
