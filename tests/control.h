// Judges times on the real clock against a control that runs in the same process: a bare loop with
// the same waits on as many threads. Slices of the two alternate. A slice of a trial counts only
// where the control kept its own time right before it and right after it; what a busy machine does
// to a trial it does to the control as well, which has no other work than to wait.
#pragma once
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <functional>
#include <limits>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "harness/core/units.h"
#include "tests/skip.h"

namespace benchbench::test {

// --- the control

// Threads that wait for one deadline after another, and hand a token to one more thread after each.
// It shares no code with the harness, whose waits are under test.
struct BareLoop {
  int threads = 1;
  Nanoseconds step{0};
  // A step begins when the step before was to end, or when it has ended, as with mocks whose `pace`
  // is `chained` or `entered`.
  bool entered = false;
  // A wait keeps its core, as work does. Otherwise it sleeps until shortly before its end.
  bool keeps_core = false;
};

// What one slice of the control took, as shares of its step.
struct ControlSlice {
  double late = 0;    // how late a wait ended, on the average, in the latest thread
  double longer = 0;  // how much longer a step was in the first thread
  double hop = 0;     // from a put to the end of the take: the median
};

namespace bare {

constexpr std::int64_t kLength = 60'000'000;  // ns of a slice
constexpr std::int64_t kSpun = 200'000;  // ns before the end of a wait, more than a sleep is late

inline std::int64_t now() {
  timespec t{};
  ::clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1'000'000'000 + t.tv_nsec;
}

inline void sleep_until(std::int64_t time) {
  const timespec wake{time / 1'000'000'000, time % 1'000'000'000};
  while (::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &wake, nullptr) != 0) {
  }
}

inline void wait_until(std::int64_t time, bool keeps_core) {
  if (!keeps_core) sleep_until(time - kSpun);
  while (now() < time) {
  }
}

inline std::int64_t steps_of(const BareLoop& loop) { return kLength / loop.step.count(); }

// Hands times over: each is when it was put.
class Tokens {
 public:
  void put() {
    const std::lock_guard<std::mutex> held(lock_);
    waiting_.push_back(now());
    more_.notify_one();
  }
  std::int64_t take() {
    std::unique_lock<std::mutex> held(lock_);
    more_.wait(held, [&] { return !waiting_.empty(); });
    const std::int64_t put = waiting_.front();
    waiting_.pop_front();
    return put;
  }

 private:
  std::mutex lock_;
  std::condition_variable more_;
  std::deque<std::int64_t> waiting_;
};

// The threads begin one after another, so that they do not spin at the same time.
inline ControlSlice run_thread(const BareLoop& loop, std::int64_t begin, Tokens& tokens) {
  ::prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
  wait_until(begin, false);
  const std::int64_t steps = steps_of(loop);
  std::int64_t at = begin;
  double late = 0;
  for (std::int64_t i = 0; i < steps; ++i) {
    at = (loop.entered ? now() : at) + loop.step.count();
    wait_until(at, loop.keeps_core);
    late += static_cast<double>(now() - at);
    tokens.put();
  }
  const auto asked = static_cast<double>(steps * loop.step.count());
  return {late / asked, static_cast<double>(now() - begin) / asked - 1, 0};
}

inline double median_hop(Tokens& tokens, std::int64_t count) {
  std::vector<std::int64_t> hops;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t put = tokens.take();
    hops.push_back(now() - put);
  }
  std::ranges::sort(hops);
  return static_cast<double>(hops[hops.size() / 2]);
}

}  // namespace bare

inline ControlSlice run_bare_loop(const BareLoop& loop) {
  bare::Tokens tokens;
  std::vector<ControlSlice> seen(static_cast<std::size_t>(loop.threads));
  std::vector<std::thread> threads;
  std::int64_t begin = bare::now() + bare::kSpun;
  for (ControlSlice& slice : seen) {
    threads.emplace_back([&, begin] { slice = bare::run_thread(loop, begin, tokens); });
    begin += loop.step.count() / loop.threads;
  }
  const double hop = bare::median_hop(tokens, loop.threads * bare::steps_of(loop));
  for (std::thread& thread : threads) thread.join();
  for (const ControlSlice& slice : seen) seen[0].late = std::max(seen[0].late, slice.late);
  seen[0].hop = hop / static_cast<double>(loop.step.count());
  return seen[0];
}

// --- other processes

// Returns for how long other processes have kept cores busy, since the machine began.
inline double seconds_of_others() {
  std::ifstream file("/proc/stat");
  std::string cpu;
  double user = 0, nice = 0, system = 0, idle = 0, waits = 0, irq = 0, soft = 0, stolen = 0;
  file >> cpu >> user >> nice >> system >> idle >> waits >> irq >> soft >> stolen;
  double own = 0;
  for (const int whose : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage used{};
    ::getrusage(whose, &used);
    for (const timeval& t : {used.ru_utime, used.ru_stime})
      own += static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  }
  const auto ticks = static_cast<double>(::sysconf(_SC_CLK_TCK));
  return (user + nice + system + irq + soft + stolen) / ticks - own;
}

// True if ctest runs no other row at the same time, so that no other process belongs to the tests.
inline bool runs_alone() { return std::getenv("BENCHBENCH_TEST_ALONE") != nullptr; }

// --- the verdict

enum class Verdict { open, right, wrong };

// What the slices of one trial say of it, of which only those count in which the control kept its
// time. Slices that disagree leave it open: a disturbance may hit the trial's threads and miss the
// control's, and takes longer once than another time, where a fault always takes as long.
class Slices {
 public:
  // Five outside the band on the same side, none more than twice as far off as another, and none
  // elsewhere, make it wrong.
  static constexpr int kWrong = 5;
  static constexpr double kAlike = 2;
  // `enough` slices within the band make it right, where no more than half as many are outside.
  explicit Slices(int enough) : enough_(enough) {}

  // `off` is what the slice saw, and may be from `least` to `most`.
  void add(double off, double least, double most) {
    ++(off < least ? below_ : off > most ? above_ : within_);
    if (off >= least && off <= most) return;
    nearest_ = std::min(nearest_, std::abs(off));
    farthest_ = std::max(farthest_, std::abs(off));
  }
  Verdict verdict() const {
    if (within_ >= enough_ && within_ >= 2 * (below_ + above_)) return Verdict::right;
    if (within_ == 0 && std::min(below_, above_) == 0 && below_ + above_ >= kWrong && are_alike())
      return Verdict::wrong;
    return Verdict::open;
  }
  // True if some slices are within the band and some are not, or if those outside differ.
  bool disagree() const {
    return (within_ > 0 && below_ + above_ > 0) || (below_ + above_ > 1 && !are_alike());
  }

 private:
  bool are_alike() const { return farthest_ <= kAlike * nearest_; }

  int enough_;
  int below_ = 0, within_ = 0, above_ = 0;
  double nearest_ = std::numeric_limits<double>::infinity(), farthest_ = 0;
};

// --- both together

// A trial with a known time. `off` runs one slice of it and returns how much longer than known it
// took, as a share; not a number if the slice itself says that it was disturbed.
struct TimedTrial {
  std::string what;
  std::function<double()> off;
  double least, most;  // the band that `off` may lie in
  int hops = 0;        // what each step may take besides, in hand-overs of the control
  int enough = 2;      // slices that make it right
};

// Trials whose slices alternate with those of their control.
class JudgedTrials {
 public:
  // A slice counts where the control right before and right after it is late by no more than
  // `late`.
  JudgedTrials(const BareLoop& control, double late, const std::vector<TimedTrial>& trials)
      : control_(control), late_(late) {
    for (const TimedTrial& trial : trials)
      judged_.push_back({trial, Slices(trial.enough), "", false, false});
  }

  // Runs slices until each trial is judged, or the control was late too often.
  void run() {
    take_control();
    for (int round = 0; round < kRounds; ++round)
      for (Judged& judged : judged_)
        if (judged.slices.verdict() == Verdict::open && control_is_in_time()) add_slice(judged);
  }

  std::vector<Verdict> verdicts() const {
    std::vector<Verdict> all;
    for (const Judged& judged : judged_) all.push_back(judged.slices.verdict());
    return all;
  }

  // Fails where a trial is wrong. Returns the names of those that are not judged, each with the
  // reason.
  std::string check() const {
    std::string open;
    for (const Judged& judged : judged_) {
      const std::string seen = judged.trial.what + "; % off what is known:" + judged.seen;
      std::printf("%s\n", seen.c_str());
      INFO(seen);
      CHECK(judged.slices.verdict() != Verdict::wrong);
      if (judged.slices.verdict() == Verdict::open)
        open += (open.empty() ? "" : "; ") + judged.trial.what + reason(judged);
    }
    return open;
  }

 private:
  struct Judged {
    TimedTrial trial;
    Slices slices;
    std::string seen;
    bool disturbed = false;    // a slice said so itself, while the control was in time
    bool others_busy = false;  // during a slice
  };

  static constexpr int kRounds = 16;
  static constexpr double kMostOthers = 0.3;  // cores

  static const char* reason(const Judged& judged) {
    return judged.slices.disagree() ? " (slices disagree)"
           : judged.disturbed       ? " (it was disturbed by its own account)"
           : judged.others_busy     ? " (other processes kept cores busy)"
                                    : " (a bare loop keeps no better time)";
  }

  bool in_time(const ControlSlice& slice) {
    late_slices_ += slice.late > late_;
    return slice.late <= late_;
  }
  // Goes on with the control until it is in time. False once it was late too often: the control
  // decides that alone, so that no slice is taken again for what it says of the trial.
  bool control_is_in_time() {
    while (late_slices_ < 10 + 4 * judged_.size()) {
      if (in_time(before_)) return true;
      take_control();
    }
    return false;
  }

  void take_control() {
    begun_ = bare::now(), others_ = seconds_of_others();
    before_ = run_bare_loop(control_);
  }

  // The control only waits: a scheduler may let it run at once while it takes turns with a trial
  // that computes.
  bool others_were_busy() const {
    const double share = (seconds_of_others() - others_) / (1e-9 * double(bare::now() - begun_));
    return runs_alone() && share > kMostOthers;
  }

  void add_slice(Judged& judged) {
    const TimedTrial& trial = judged.trial;
    const double longer = trial.off();
    const auto begun = bare::now();
    const double others = seconds_of_others();
    const ControlSlice after = run_bare_loop(control_);
    const bool busy = others_were_busy();
    const double off = (1 + longer) / (1 + (before_.longer + after.longer) / 2) - 1;
    const bool counts = after.late <= late_ && !busy && !std::isnan(off);
    late_slices_ += busy;
    judged.others_busy = judged.others_busy || busy;
    const double hops = trial.hops * (before_.hop + after.hop) / 2;
    judged.disturbed = judged.disturbed || (after.late <= late_ && std::isnan(off));
    if (counts) judged.slices.add(off, trial.least, trial.most + hops);
    char text[40];
    std::snprintf(text, sizeof text, counts ? " %+.2f" : " (%+.2f)", 100 * off);
    judged.seen += text;
    before_ = after, begun_ = begun, others_ = others;
  }

  BareLoop control_;
  double late_;
  std::int64_t begun_ = 0;  // of the control before a slice
  double others_ = 0;       // seconds_of_others() then
  std::vector<Judged> judged_;
  ControlSlice before_;
  std::size_t late_slices_ = 0;
};

inline void judge_by_control(const BareLoop& control, double late,
                             const std::vector<TimedTrial>& trials) {
  JudgedTrials judged(control, late, trials);
  judged.run();
  if (const std::string open = judged.check(); !open.empty()) BENCHBENCH_NOT_JUDGED(open);
}

}  // namespace benchbench::test
