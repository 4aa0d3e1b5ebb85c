// Ends of a script that does not end by itself, on a clock that is set by hand.
#include "harness/app/wrap/wrap_watch.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>

#include "tests/scratch_folder.h"
#include "tests/unit/app/standard_error.h"
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

constexpr const char* kMark = "BENCHBENCH_WRAP_TOKEN=wrap_watch_test";

// A process that waits for its input.
struct Watched {
  explicit Watched(bool keep_going = false, std::vector<std::string> environment = {kMark})
      : request(request_of(keep_going)), script(std::move(environment)) {}
  void passes(Nanoseconds time, bool speaks = false) {
    for (const TimePoint until = clock.time + time; clock.time < until;) {
      clock.time += std::chrono::milliseconds{500};
      if (speaks) ++session.heard;
      watch.look(session);
    }
  }
  // The lines that are printed meanwhile.
  std::string says_within(Nanoseconds time) {
    return test::on_standard_error([&] { passes(time); });
  }

  WrapRequest request;
  HandClock clock;
  test::OutsideProcess script;
  Session session;
  WrapRun run{request, clock};
  WrapRest rest{{kMark}};
  WrapWatch watch{request, run, rest, clock, script.pid(), {}};
};

// The same, which is measured.
struct Measured : Watched {
  explicit Measured(bool keep_going = false) : Watched(keep_going) {
    WrapHello hello;
    hello.pid = script.pid();
    run.connected(hello);
    run.steady(hello.pid, {});
  }
  Nanoseconds budget() const { return run.lead()->planned->ends_after; }
};

// Each message names the script once; a long one has several lines.
int count_said(const std::string& text) {
  int count = 0;
  for (auto at = text.find("train.py"); at != text.npos; at = text.find("train.py", at + 1))
    ++count;
  return count;
}
bool has(std::string text, const std::string& words) {
  std::ranges::replace(text, '\n', ' ');
  return text.find(words) != text.npos;
}

TEST_CASE("wrap: a script that stands still at its budget's end hangs", "[unit][app][wrap]") {
  Measured script;
  script.passes(script.budget() - seconds{2}, true);
  script.passes(seconds{60});
  CHECK(script.session.ends_as.empty());
  script.passes(seconds{10});
  CHECK(script.session.ends_as == std::vector{WrapReason::hangs});
  CHECK(script.run.hung());
}

TEST_CASE("wrap: a hang is said within 30 s, and ended within 10 s beyond its patience",
          "[unit][app][wrap]") {
  Measured script;
  script.run.command_started();
  script.passes(seconds{8}, true);
  script.passes(seconds{70});
  REQUIRE(script.run.hang());
  const HangSeen& hang = *script.run.hang();
  CHECK(hang.last_sign >= seconds{7});
  CHECK(hang.last_sign <= seconds{9});
  CHECK(hang.said_after <= seconds{30});
  script.run.command_ended();
  CHECK(script.run.times().end - hang.last_sign <= script.request.hang_after + seconds{10});
}

TEST_CASE("wrap: a script whose measured loop has ended is not waited for", "[unit][app][wrap]") {
  Measured script(true);
  CHECK(has(script.says_within(seconds{30}), "is waited for"));
  script.run.ended(script.script.pid(), {});
  CHECK(script.says_within(seconds{25}).empty());
}

TEST_CASE("wrap: a script that works past its budget is asked to end, and hangs if it does not",
          "[unit][app][wrap]") {
  Measured script;
  script.passes(script.budget() + seconds{10}, true);
  CHECK(script.session.ends_as == std::vector{WrapReason::budget_over});
  script.passes(seconds{70}, true);
  CHECK(script.session.ends_as == std::vector{WrapReason::budget_over, WrapReason::hangs});
}

TEST_CASE("wrap: what SIGKILL does not end is given up", "[unit][app][wrap]") {
  Measured script;
  script.passes(seconds{68});
  CHECK_FALSE(script.watch.gave_up());
  script.passes(seconds{12});  // it is not waited for by us, and stays
  CHECK(script.watch.gave_up());
}

TEST_CASE("wrap: with --keep-going a script that hangs is left as it is", "[unit][app][wrap]") {
  Measured script(true);
  script.passes(seconds{300});
  CHECK(script.session.ends_as.empty());
  CHECK_FALSE(script.run.hung());
  CHECK(script.script.ask("say(7)") == "7");
}

TEST_CASE("wrap: handlers of the script's own are not called", "[unit][app][wrap]") {
  const std::string handles = "signal.signal(signal.SIGURG, lambda *_: kept.update(asked=1))";
  for (const char* mute : {"", "the script has a handler of SIGURG of its own"}) {
    Measured script(true);
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

TEST_CASE("wrap: a client of what runs elsewhere is waited for without end, with ever fewer lines",
          "[unit][app][wrap]") {
  Watched client;
  const std::string at_first = client.says_within(seconds{60});
  INFO(at_first);
  CHECK(count_said(at_first) == 3);
  CHECK_FALSE(has(at_first, "hangs"));
  CHECK(count_said(client.says_within(seconds{540})) == 3);
  CHECK(client.session.ends_as.empty());
  CHECK(client.script.ask("say(7)") == "7");
}

constexpr const char* kAnswers = "signal.signal(signal.SIGRTMAX - 4, lambda *_: None)";

TEST_CASE("wrap: a Python that benchbench is in hangs where it stands still before torch is there",
          "[unit][app][wrap]") {
  Watched script(false, {kMark, "BENCHBENCH_WRAP=here", "PYTHONPATH=/here"});
  script.script.ask(kAnswers);
  script.passes(seconds{70});
  CHECK(script.session.ends_as == std::vector{WrapReason::hangs});
  REQUIRE(script.run.hang());
  CHECK(script.run.hang()->waits.contains(script.script.pid()));
}

TEST_CASE("wrap: a Python that waits for a client of what runs elsewhere does not hang",
          "[unit][app][wrap]") {
  Watched script(false, {kMark, "BENCHBENCH_WRAP=here", "PYTHONPATH=/here"});
  script.script.ask(kAnswers);
  const int client =
      script.script.number("say(os.posix_spawnp('tail', ['tail', '-f', '/dev/null'], os.environ))");
  REQUIRE(client > 0);
  script.passes(seconds{70});
  CHECK(script.session.ends_as.empty());
  script.script.ask("os.kill(" + std::to_string(client) + ", signal.SIGKILL)");
  script.script.ask("os.waitpid(" + std::to_string(client) + ", 0)");
}

// A process that has a file mapped whose name is torch's.
void map_torch(const test::OutsideProcess& script, const std::string& folder) {
  const std::string file = folder + "/libtorch_cpu.so";
  CHECK(script.ask("at = open('" + file + "', 'wb+')") == "");
  CHECK(script.ask("at.truncate(4096) and say(1)") == "1");
  CHECK(script.ask("kept[0] = mmap.mmap(at.fileno(), 4096)") == "");
}

TEST_CASE("wrap: a process that cannot be measured goes on, and that is said again",
          "[unit][app][wrap]") {
  const std::string folder = test::make_scratch_folder("torch");
  Watched script;
  map_torch(script.script, folder);
  const std::string at_first = script.says_within(seconds{120});
  INFO(at_first);
  CHECK(count_said(at_first) == 1);
  CHECK(has(at_first, "train.py cannot be measured: process "));
  CHECK(has(at_first, "It goes on as it is."));
  const std::string later = script.says_within(seconds{480});
  INFO(later);
  CHECK(count_said(later) == 3);
  CHECK(has(later, "train.py is not measured: benchbench is not in it: "));
  CHECK(script.session.ends_as.empty());
  CHECK(script.script.ask("say(7)") == "7");
  std::filesystem::remove_all(folder);
}

void passes_with_short_patience(Watched& script) {
  script.request.hang_after = seconds{10};
  WrapWatch watch(script.request, script.run, script.rest, script.clock, script.script.pid(), {});
  for (int i = 0; i < 15; ++i) {
    script.clock.time += seconds{1};
    watch.look(script.session);
  }
}

TEST_CASE("wrap: why a process cannot be measured is looked for before it hangs",
          "[unit][app][wrap]") {
  const std::string folder = test::make_scratch_folder("torch");
  Watched script;
  map_torch(script.script, folder);
  passes_with_short_patience(script);
  CHECK(script.session.ends_as.empty());
  CHECK_FALSE(script.run.unattached().empty());
  std::filesystem::remove_all(folder);
}

TEST_CASE("wrap: an import of torch that does not end hangs", "[unit][app][wrap]") {
  const std::string folder = test::make_scratch_folder("torch");
  Watched script(false, {kMark, "BENCHBENCH_WRAP=here", "PYTHONPATH=/here"});  // nothing keeps us
  map_torch(script.script, folder);
  passes_with_short_patience(script);
  CHECK(script.session.ends_as == std::vector{WrapReason::hangs});
  std::filesystem::remove_all(folder);
}

}  // namespace wrap_watch_test
}  // namespace benchbench
