// Ends of a script that does not end by itself, on a clock that is set by hand.
#include "harness/app/wrap/wrap_watch.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <functional>

#include "harness/app/wrap/wrap_places.h"
#include "harness/core/process_tree.h"
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

constexpr Nanoseconds kLook = std::chrono::milliseconds{500};

// A process that waits for its input.
struct Watched {
  explicit Watched(bool keep_going = false, std::vector<std::string> environment = {kMark})
      : request(request_of(keep_going)), script(std::move(environment)) {}
  void passes(Nanoseconds time, bool speaks = false) {
    for (const TimePoint until = clock.time + time; clock.time < until;) {
      clock.time += kLook;
      if (speaks) ++session.heard;
      watch.look(session);
    }
  }
  // Returns the time until it is ended, up to a limit.
  Nanoseconds time_to_end(Nanoseconds limit) {
    const TimePoint begun = clock.time;
    while (session.ends_as.empty() && clock.time - begun < limit) passes(kLook);
    return clock.time - begun;
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
  const Nanoseconds ended_after = script.time_to_end(seconds{100});
  CHECK(ended_after >= script.request.hang_after);
  CHECK(ended_after <= script.request.hang_after + seconds{10});
  REQUIRE(script.run.hang());
  const HangSeen& hang = *script.run.hang();
  CHECK(hang.last_sign >= seconds{7});
  CHECK(hang.last_sign <= seconds{9});
  CHECK(hang.said_after >= seconds{19});
  CHECK(hang.said_after <= seconds{30});
}

TEST_CASE("wrap: a script's last sign is what it works last, with or without a message",
          "[unit][app][wrap]") {
  Measured script(true);
  script.run.command_started();
  script.passes(seconds{8}, true);
  script.passes(seconds{30});
  script.script.ask("burn(0.7)");  // 1 % of the patience is 0.6 s
  script.passes(seconds{1});
  script.passes(seconds{80});
  REQUIRE(script.run.hang());
  CHECK(script.run.hang()->last_sign >= seconds{38});
  CHECK(script.run.hang()->last_sign <= seconds{40});
  CHECK(script.run.hang()->said_after <= seconds{15});  // a line is due 20 s after the last one
}

TEST_CASE("wrap: a hang's place is that of the measured process", "[unit][app][wrap]") {
  Measured script(true);
  script.script.ask("signal.signal(signal.SIGURG, lambda *_: None)");
  script.passes(script.request.hang_after + seconds{1});
  WrapStacks stacks;
  stacks.threads = {{"MainThread", {}}};
  for (const int pid : {1, script.script.pid()}) {
    stacks.pid = pid;
    script.run.stood(stacks);
  }
  script.passes(seconds{5});
  REQUIRE(script.run.hang());
  REQUIRE(script.run.hang()->stacks.size() == 2);
  CHECK(script.run.hang()->stacks.front().pid == script.script.pid());
}

void await(const std::function<bool()>& is_there) {
  const auto until = std::chrono::steady_clock::now() + seconds{20};
  while (!is_there() && std::chrono::steady_clock::now() < until) {
  }
  CHECK(is_there());
}

void send_and_await(int pid, int signal, char state) {
  ::kill(pid, signal);
  await([&] { return see_process(pid).value_or(ProcessSeen{}).state == state; });
}

TEST_CASE("wrap: a process that is stopped does not hang until it is let go on",
          "[unit][app][wrap]") {
  Measured script;
  send_and_await(script.script.pid(), SIGSTOP, 'T');
  script.passes(seconds{100});
  CHECK(script.session.ends_as.empty());
  send_and_await(script.script.pid(), SIGCONT, 'S');
  CHECK(script.time_to_end(seconds{100}) <= seconds{10});
  CHECK(script.session.ends_as == std::vector{WrapReason::hangs});
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
  const std::string said = script.says_within(seconds{100});
  INFO(said);
  const auto at = said.find("train.py hangs");
  CHECK(at != said.npos);
  CHECK(said.find("train.py hangs", at + 1) == said.npos);
  script.passes(seconds{200});
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

constexpr const char* kAnswers = "signal.signal(signal.SIGRTMAX - 4, lambda *_: kept.update(a=1))";

// One that benchbench is in, and that has not imported torch.
struct Attached : Watched {
  Attached() : Watched(false, {kMark, "BENCHBENCH_WRAP=here", "PYTHONPATH=/here"}) {
    script.ask(kAnswers);
  }
  // Waits for a lock, without end or for up to some seconds.
  void lock(const std::string& up_to = "") {
    script.ask("kept['lock'] = _thread.allocate_lock()");
    script.ask("kept['lock'].acquire()");
    script.begin("kept['lock'].acquire(" + (up_to.empty() ? "" : "True, " + up_to) + ")");
    await([&] { return read_wait(script.pid()) == kWaitsForLock; });
  }
};

TEST_CASE("wrap: a Python that benchbench is in hangs at a lock before torch is there",
          "[unit][app][wrap]") {
  Attached script;
  script.lock();
  script.passes(seconds{70});
  CHECK(script.session.ends_as == std::vector{WrapReason::hangs});
  REQUIRE(script.run.hang());
  CHECK(script.run.hang()->waits.contains(script.script.pid()));
}

TEST_CASE("wrap: before torch a Python may wait as long as it takes", "[unit][app][wrap]") {
  Attached for_input, up_to, polls;
  up_to.lock("3600");
  polls.script.begin("time.sleep(3600)");
  await([&] { return read_wait(polls.script.pid()) == "sleeps"; });
  for (Attached* script : {&for_input, &up_to, &polls}) {
    const std::string said = script->says_within(seconds{120});
    INFO(said);
    CHECK(has(said, "is waited for"));
    CHECK(script->session.ends_as.empty());
  }
  CHECK(for_input.script.ask("say(7)") == "7");
}

TEST_CASE("wrap: a launcher is not asked where what it started has said hello",
          "[unit][app][wrap]") {
  Attached launcher;
  WrapHello hello;
  hello.pid = ::getpid();  // of another one
  launcher.run.connected(hello);
  launcher.passes(seconds{61});
  CHECK(launcher.script.ask("say(len(kept))") == "0");
}

TEST_CASE("wrap: a Python that waits for a client of what runs elsewhere does not hang",
          "[unit][app][wrap]") {
  Attached script;
  const int client =
      script.script.number("say(os.posix_spawnp('tail', ['tail', '-f', '/dev/null'], os.environ))");
  REQUIRE(client > 0);
  script.script.begin("os.waitpid(" + std::to_string(client) + ", 0)");
  await([&] { return read_wait(script.script.pid()).starts_with("waits for another"); });
  script.passes(seconds{70});
  CHECK(script.session.ends_as.empty());
  ::kill(client, SIGKILL);
  script.script.read_answer();
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
