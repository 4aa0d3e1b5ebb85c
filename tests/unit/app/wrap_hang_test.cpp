// The time that a script is waited for, and the words for one that hangs.
#include <sys/syscall.h>
#include <unistd.h>
#include <algorithm>

#include <catch2/catch.hpp>

#include "harness/app/wrap/ending/wrap_hang_words.h"
#include "harness/app/wrap/wrap_clock.h"
#include "harness/app/wrap/wrap_places.h"

namespace benchbench {
namespace wrap_hang_test {

using Due = WrapClock::Due;
using std::chrono::seconds;

struct Watched {
  WrapClock clock{seconds{60}, Nanoseconds{0}, 8};
  Nanoseconds now{0};
  std::uint64_t messages = 0;
  double spent_s = 0;
  bool measures = false;

  // A look a second; what was due in them, but for nothing.
  std::vector<Due> passes(int whole, double cores, bool speaks = false) {
    std::vector<Due> all;
    for (int i = 0; i < whole; ++i) {
      now += seconds{1};
      spent_s += cores;
      if (speaks) ++messages;
      const auto spent = static_cast<std::int64_t>(1e9 * spent_s);
      if (const Due due = clock.look(now, messages, spent, measures); due != Due::nothing)
        all.push_back(due);
    }
    return all;
  }
};

TEST_CASE("wrap: a script that works has all its time, and a line each 20 s", "[unit][app][wrap]") {
  Watched script;
  CHECK(script.passes(1000, 0.9) == std::vector<Due>(50, Due::line));
  CHECK(script.clock.cores() == Approx(0.9).epsilon(0.06));
}

TEST_CASE("wrap: without a message and CPU time it hangs", "[unit][app][wrap]") {
  Watched script;
  script.passes(100, 0.9);
  CHECK(script.passes(59, 0) == std::vector<Due>(2, Due::line));
  CHECK(script.passes(1, 0) == std::vector{Due::hang});
}

TEST_CASE("wrap: a thread that wakes up now and then does not work, one with 2 % of a core does",
          "[unit][app][wrap]") {
  Watched idle, slow;
  CHECK(idle.passes(60, 0.005).back() == Due::hang);
  CHECK(slow.passes(600, 0.02) == std::vector<Due>(30, Due::line));
}

TEST_CASE("wrap: a loop that sleeps in its steps does not hang", "[unit][app][wrap]") {
  Watched script;
  script.measures = true;
  CHECK(script.passes(600, 0, true).empty());
  CHECK(script.passes(20, 0.9) == std::vector{Due::line});  // a batch that does not come
}

TEST_CASE("wrap: no more cores are in use than there are", "[unit][app][wrap]") {
  Watched script;
  CHECK(script.passes(20, 30) == std::vector{Due::line});
  CHECK(script.clock.cores() == 8);
}

TEST_CASE("wrap: what was used while a loop was measured is not of the time after it",
          "[unit][app][wrap]") {
  Watched script;
  script.measures = true;
  const double before_s = script.spent_s;
  script.passes(60, 0, true);      // not read meanwhile
  script.spent_s = before_s + 90;  // which the first reading behind it has
  script.measures = false;
  script.passes(1, 0.5, true);
  CHECK(script.clock.cores() < 1);
  script.passes(40, 0.5);
  CHECK(script.clock.cores() == Approx(0.5).epsilon(0.05));
}

TEST_CASE("wrap: a hang is due once, and lines come each three minutes until it works again",
          "[unit][app][wrap]") {
  Watched script;
  CHECK(script.passes(60, 0).back() == Due::hang);
  CHECK(script.passes(179, 0).empty());
  CHECK(script.passes(421, 0) == std::vector<Due>(3, Due::line));
  CHECK_FALSE(script.clock.works());
  script.passes(1, 0.9);
  CHECK(script.clock.works());
  const std::vector<Due> again = script.passes(60, 0);
  CHECK(std::ranges::count(again, Due::hang) == 1);
}

TEST_CASE("wrap: what is used while messages come is not of the line after them",
          "[unit][app][wrap]") {
  Watched script;
  script.measures = true;
  script.passes(100, 6.9, true);
  CHECK(script.passes(20, 0.5) == std::vector{Due::line});
  CHECK(script.clock.cores() == Approx(0.5));
}

TEST_CASE("wrap: while this program was stopped, nothing is held against the script",
          "[unit][app][wrap]") {
  Watched script;
  script.passes(50, 0);
  script.now += seconds{3600};
  CHECK(script.passes(5, 0) == std::vector<Due>{});
  CHECK(script.passes(10, 0).front() == Due::hang);
  CHECK(script.clock.passed() < seconds{66});
}

WrapStacks stacks(int pid, std::optional<std::uint32_t> worker, std::vector<WrapFrame> frames) {
  WrapStacks made;
  made.pid = pid;
  made.worker = worker;
  made.threads = {{"MainThread", std::move(frames)}};
  return made;
}

bool has(const std::string& text, const std::string& words) {
  INFO(text);
  return text.find(words) != std::string::npos;
}

TEST_CASE("wrap: of a hang each process is said, and the lock that was held at the fork",
          "[unit][app][wrap]") {
  HangSeen seen{
      seconds{60}, {}, {{7, "waits for data"}, {9, "waits for a lock"}, {11, ""}}, "End."};
  WrapStacks worker = stacks(9, 1, {{"train.py:27", "__getitem__", true}});
  worker.lock = WrapHeldLock{"LOCK", "report", "train.py:44", true};
  WrapStacks main =
      stacks(7, {}, {{"selectors.py:415", "select", false}, {"train.py:71", "main", true}});
  main.threads.push_back({"report", {{"train.py:44", "report", true}}});
  main.threads.push_back({"pin", {{"queue.py:1", "get", false}}});
  seen.stacks = {worker, main};
  const std::string text = hang_words("train.py", seen);
  CHECK(text.starts_with(
      "benchbench: train.py hangs: no batch, no step and no CPU time for 60 s. End.\n"
      "  process 7: train.py:71 in main(), within selectors.py:415 in select(); it waits for data\n"
      "    its thread \"report\": train.py:44 in report()\n"
      "  worker 1, process 9: train.py:27 in __getitem__(); it waits for a lock; LOCK is locked: "
      "thread \"report\" held it (train.py:44) when this process was forked\n"
      "  process 11: its stack could not be read\n"));
  CHECK(has(text,
            "start workers while LOCK is free, before thread \"report\", or with "
            "multiprocessing_context=\"forkserver\", which runs the script once more in each "
            "worker, so that its training has to stand under if __name__ == \"__main__\".\n"));
  seen.stacks[0].guarded = true, seen.stacks[0].kept = false;
  CHECK(has(hang_words("train.py", seen),
            "start workers once (persistent_workers=True), while LOCK is free, before thread "
            "\"report\", or with multiprocessing_context=\"forkserver\".\n"));
}

TEST_CASE("wrap: a lock that a call names is its own where it waits for something else",
          "[unit][app][wrap]") {
  WrapStacks one = stacks(7, {}, {{"train.py:71", "<module>", true}});
  one.lock = WrapHeldLock{"self.lock", "", "", false};
  CHECK_FALSE(has(hang_words("a.py", {seconds{60}, {one}, {{7, "sleeps"}}, ""}), "lock"));
  CHECK(has(hang_words("a.py", {seconds{60}, {one}, {{7, "waits for a lock"}}, ""}),
            "train.py:71; it waits for a lock; self.lock is locked\n"));
}

TEST_CASE("wrap: the line of a script that is waited for says what is missing",
          "[unit][app][wrap]") {
  Watched script;
  script.passes(20, 1);
  const auto line = [&](std::size_t processes, const char* phase, bool measures = false) {
    return waiting_words("a.py", script.clock, processes, phase, measures);
  };
  CHECK(line(0, "") ==
        "benchbench: 20 s: a.py is waited for: no Python of it that benchbench is in has imported "
        "torch yet; it uses 1.0 cores.\n");
  CHECK(has(line(1, ""), "no batch of a DataLoader was fetched yet"));
  CHECK(has(line(1, "stepping"), "makes steps, and fetches no batch"));
  CHECK(has(line(1, "warming up"), "not steady yet"));
  CHECK(has(line(1, "waiting"), "its loop is steady, and it waits for the other ranks"));
  CHECK(has(line(1, "measuring", true), "no batch and no step for 20 s"));
}

TEST_CASE("wrap: stacks that C code has written, the main thread's last", "[unit][app][wrap]") {
  const WrapStacks read = parse_stacks(
      "Thread 0x00007f (most recent call first):\n"
      "  File \"/usr/lib/python3.11/threading.py\", line 320 in wait\n\n"
      "Current thread 0x00007e (most recent call first):\n"
      "  File \"/home/ann/train in d.py\", line 8 in waits\n"
      "  File \"/home/ann/train in d.py\", line 11 in <module>\n",
      "");
  REQUIRE(read.threads.size() == 2);
  REQUIRE(read.threads[0].frames.size() == 2);
  CHECK(read.threads[0].frames[0].where == "/home/ann/train in d.py:8");
  CHECK(read.threads[0].frames[0].function == "waits");
  CHECK(read.threads[0].frames[0].users);
  CHECK_FALSE(read.threads[1].frames[0].users);
  CHECK(parse_stacks("", "").threads.empty());
}

bool is_users(const std::string& path) {
  const WrapStacks read = parse_stacks(
      "Thread 0x00007f (most recent call first):\n  File \"" + path + "\", line 1 in f\n",
      "/opt/benchbench/python/benchbench_dl");
  return read.threads.at(0).frames.at(0).users;
}

TEST_CASE("wrap: code of the user's is whatever is not installed", "[unit][app][wrap]") {
  for (const char* path : {"/home/ann/benchbench/train.py", "/home/ann/lib/python/train.py",
                           "/home/ann/my-packages/train.py"})
    CHECK(is_users(path));
  for (const char* path :
       {"/opt/benchbench/python/benchbench_dl/wrap/stop.py", "/usr/lib64/python3.9/queue.py",
        "/opt/conda/lib/python3.11/site-packages/torch/a.py", "/usr/lib/python3/dist-packages/a.py",
        "<frozen runpy>"})
    CHECK_FALSE(is_users(path));
}

TEST_CASE("wrap: a script past its budget that does not end hangs", "[unit][app][wrap]") {
  CHECK(has(hang_words("a.py", {seconds{60}, {}, {}, "End.", true}),
            "a.py hangs: its budget is over, and it has not ended within 60 s after it was asked "
            "to. End.\n"));
}

TEST_CASE("wrap: what a process waits in, by its system call", "[unit][app][wrap]") {
  CHECK(wait_words(SYS_futex) == "waits for a lock");
  CHECK(wait_words(SYS_ppoll) == "waits for data");
  CHECK(wait_words(SYS_clock_nanosleep) == "sleeps");
  CHECK(wait_words(SYS_getpid) == "");
}

TEST_CASE("wrap: signals are for processes that catch them", "[unit][app][wrap]") {
  CHECK_FALSE(catches(::getpid(), kAskSignal));
  const auto before = ::signal(kAskSignal, [](int) {});
  CHECK(catches(::getpid(), kAskSignal));
  ::signal(kAskSignal, before);
  CHECK_FALSE(catches(-1, kAskSignal));
}

TEST_CASE("wrap: a process that benchbench is not in, and why", "[unit][app][wrap]") {
  CHECK(explain_unattached(::getpid(), "/site") ==
        "it was started without the environment of the command; what starts it has to hand that "
        "on");
  CHECK(
      explain_unattached({"/usr/bin/python3", "-uI", "train.py"}) ==
      "its Python was started with -I, and does not load what benchbench adds by PYTHONPATH; start "
      "it without -I");
  CHECK(explain_unattached({"python", "-W", "IGNORE", "-m", "pkg", "-I"}) == "");
  CHECK(explain_unattached({"torchrun", "-I"}) == "");
  CHECK_FALSE(has_torch(::getpid()));
  CHECK_FALSE(has_torch(-1));
  CHECK_FALSE(is_of_multiprocessing(::getpid()));
  CHECK_FALSE(is_of_multiprocessing(-1));
  CHECK_FALSE(read_last_stacks(-1, ""));
}

}  // namespace wrap_hang_test
}  // namespace benchbench
