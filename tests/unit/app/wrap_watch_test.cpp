// Ends of a script that does not end by itself, on a clock that is set by hand.
#include "harness/app/wrap/wrap_watch.h"

#include <catch2/catch.hpp>

#include "tests/unit/trial/outside_process.h"

namespace benchbench {
namespace wrap_watch_test {

using std::chrono::seconds;

class HandClock final : public Runtime {
 public:
  TimePoint now() const noexcept override { return time; }
  void spend_until(TimePoint deadline, Spend) override { time = deadline; }
  bool park(Waiter&, TimePoint) override { return false; }
  void unpark(Waiter&) override {}
  void yield() override {}
  std::unique_ptr<Task> spawn(std::string_view, Job&) override { return nullptr; }
  Nanoseconds thread_cpu_time() const noexcept override { return Nanoseconds{0}; }
  bool simulated() const noexcept override { return true; }
  TimePoint time{std::chrono::hours{1}};
};

class Session final : public WrapSession {
 public:
  std::vector<std::string> environment() const override { return {}; }
  void hear(int) override {}
  std::uint64_t messages() const noexcept override { return heard; }
  void end_who_is_asked(WrapReason reason) override { ends_as.push_back(reason); }
  bool connected() const noexcept override { return true; }
  bool hangs() const override { return false; }

  std::uint64_t heard = 0;
  std::vector<WrapReason> ends_as;
};

WrapRequest request_of(bool keep_going) {
  WrapRequest request;
  request.script = "train.py";
  request.hang_after = seconds{60};
  request.order.budget = seconds{20};
  request.order.keep_going = keep_going;
  return request;
}

// A process that waits for its input, and is measured.
struct Watched {
  explicit Watched(bool keep_going = false) : request(request_of(keep_going)) {
    WrapHello hello;
    hello.pid = script.pid();
    run.connected(hello);
    run.steady(hello.pid, {});
  }
  void passes(Nanoseconds time, bool speaks = false) {
    for (const TimePoint until = clock.time + time; clock.time < until;) {
      clock.time += std::chrono::milliseconds{500};
      if (speaks) ++session.heard;
      watch.look(session);
    }
  }
  Nanoseconds budget() const { return run.lead()->planned->ends_after; }

  const WrapRequest request;
  HandClock clock;
  test::OutsideProcess script;
  Session session;
  WrapRun run{request, clock};
  WrapRest rest{{}};
  WrapWatch watch{request, run, rest, clock, script.pid(), {}};
};

TEST_CASE("wrap: a script that stands still at its budget's end hangs", "[unit][app][wrap]") {
  Watched script;
  script.passes(script.budget() - seconds{2}, true);
  script.passes(seconds{60});
  CHECK(script.session.ends_as.empty());
  script.passes(seconds{10});
  CHECK(script.session.ends_as == std::vector{WrapReason::hangs});
  CHECK(script.run.hung());
}

TEST_CASE("wrap: a script that works past its budget is asked to end, and hangs if it does not",
          "[unit][app][wrap]") {
  Watched script;
  script.passes(script.budget() + seconds{10}, true);
  CHECK(script.session.ends_as == std::vector{WrapReason::budget_over});
  script.passes(seconds{70}, true);
  CHECK(script.session.ends_as == std::vector{WrapReason::budget_over, WrapReason::hangs});
}

TEST_CASE("wrap: what SIGKILL does not end is given up", "[unit][app][wrap]") {
  Watched script;
  script.passes(seconds{68});
  CHECK_FALSE(script.watch.gave_up());
  script.passes(seconds{12});  // it is not waited for by us, and stays
  CHECK(script.watch.gave_up());
}

TEST_CASE("wrap: with --keep-going a script that hangs is left as it is", "[unit][app][wrap]") {
  Watched script(true);
  script.passes(seconds{300});
  CHECK(script.session.ends_as.empty());
  CHECK_FALSE(script.run.hung());
  CHECK(script.script.ask("say(7)") == "7");
}

TEST_CASE("wrap: handlers of the script's own are not called", "[unit][app][wrap]") {
  const std::string handles = "signal.signal(signal.SIGURG, lambda *_: kept.update(asked=1))";
  for (const char* mute : {"", "the script has a handler of SIGURG of its own"}) {
    Watched script(true);
    WrapHello hello;
    hello.pid = script.script.pid();
    hello.mute = mute;
    script.run.connected(hello);
    script.script.ask(handles);
    script.passes(seconds{100});
    const std::string expected = hello.mute.empty() ? "1" : "0";
    CHECK(script.script.ask("say(len(kept))") == expected);
  }
}

}  // namespace wrap_watch_test
}  // namespace benchbench
