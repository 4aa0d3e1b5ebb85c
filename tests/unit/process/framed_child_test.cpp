// A child that does not answer as it should: every exchange ends, and says why.
#include <signal.h>

#include <catch2/catch.hpp>

#include "harness/core/process_tree.h"
#include "harness/core/runtime.h"
#include "harness/process/framed_child.h"

namespace benchbench::framed_child_test {
namespace {

using namespace std::chrono_literals;

FramedChild shell(const std::string& script) { return FramedChild("/bin/sh", {"-c", script}); }

void wait_for_state(int pid, char state) {
  const auto runtime = make_real_runtime();
  for (int i = 0; i < 2000 && see_process(pid).value_or(ProcessSeen{}).state != state; ++i)
    runtime->spend(5ms, Spend::sleep);
  REQUIRE(see_process(pid).value_or(ProcessSeen{}).state == state);
}

}  // namespace

TEST_CASE("framed child: frames go both ways", "[unit][process]") {
  FramedChild child = shell("read line; printf 'echo 5\\n%.5s' \"$line\" >&3");
  CHECK(child.send("hello", "there\n"));
  Frame frame;
  REQUIRE(child.receive(frame, 5000ms) == FramedChild::Heard::frame);
  CHECK(frame.kind == "echo");
  CHECK(frame.payload == "hello");
  CHECK(child.why_given_up().empty());
  CHECK(child.receive(frame, 5000ms) == FramedChild::Heard::ended);
}

TEST_CASE("framed child: how it ended is a sentence behind its name", "[unit][process]") {
  const auto end_of = [](const char* script) { return as_predicate(shell(script).finish(5s)); };
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
  std::string why;
  while ((why = child.why_given_up()).empty() && std::chrono::steady_clock::now() - began < 15s)
    child.receive(frame, 100ms);
  CHECK(why == "was stopped by a signal and did not go on within 5 s");
  CHECK(std::chrono::steady_clock::now() - began >= 4900ms);
  CHECK(std::chrono::steady_clock::now() - began < 8s);
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
  CHECK(child.receive(frame, 5000ms) == FramedChild::Heard::frame);
  CHECK(child.why_given_up().empty());
}

TEST_CASE("framed child: what it does not read does not hold us for ever, and it can be finished",
          "[unit][process]") {
  FramedChild child = shell("sleep 1000");
  const std::string much(1 << 20, 'x');
  const auto began = std::chrono::steady_clock::now();
  CHECK_FALSE(child.send("trial", much));
  const auto took = std::chrono::steady_clock::now() - began;
  CHECK(took >= FramedChild::kSendPatience);
  CHECK(took < FramedChild::kSendPatience + 2s);
  CHECK(child.why_given_up() == "did not read what it was sent for 10 s");
  CHECK(child.finish(50ms) == "did not exit and was killed");
}

TEST_CASE("framed child: sending to one that is gone fails at once", "[unit][process]") {
  ::signal(SIGPIPE, SIG_IGN);
  FramedChild child = shell("exit 3");
  wait_for_state(child.pid(), 'Z');
  CHECK_FALSE(child.send("trial", "x"));
  CHECK(child.why_given_up().empty());
  CHECK(child.finish(1000ms) == "exited with status 3");
}

}  // namespace benchbench::framed_child_test
