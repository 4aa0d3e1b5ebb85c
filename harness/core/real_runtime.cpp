#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <exception>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "harness/core/error.h"
#include "harness/core/pause.h"
#include "harness/core/runtime.h"

namespace benchbench {
namespace {

// What Waiter::permit holds here.
constexpr std::uint32_t kNone = 0;
constexpr std::uint32_t kPermit = 1;
constexpr std::uint32_t kAsleep = 2;  // no permit, and its owner sleeps in the kernel

Nanoseconds read_clock(clockid_t clock) noexcept {
  timespec t{};
  if (clock_gettime(clock, &t) != 0) return Nanoseconds{-1};
  return std::chrono::seconds{t.tv_sec} + Nanoseconds{t.tv_nsec};
}

TimePoint monotonic() noexcept { return TimePoint{read_clock(CLOCK_MONOTONIC)}; }

timespec to_timespec(TimePoint time) noexcept {
  const std::int64_t ns = std::max<std::int64_t>(time.time_since_epoch().count(), 0);
  return {static_cast<time_t>(ns / 1'000'000'000), static_cast<long>(ns % 1'000'000'000)};
}

// Sleeps while `word` holds kAsleep, until woken or `deadline`. False if the deadline came.
bool futex_wait(std::atomic<std::uint32_t>& word, TimePoint deadline) noexcept {
  const timespec until = to_timespec(deadline);
  const long rc = syscall(SYS_futex, &word, FUTEX_WAIT_BITSET_PRIVATE, kAsleep,
                          deadline == kForever ? nullptr : &until, nullptr, FUTEX_BITSET_MATCH_ANY);
  return !(rc != 0 && errno == ETIMEDOUT);
}

void futex_wake(std::atomic<std::uint32_t>& word) noexcept {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

// The kernel may add 50 us to every sleep of an ordinary thread (timer slack); ours asks for the
// least, once.
void want_exact_timers() noexcept {
  thread_local bool asked = false;
  if (asked) return;
  prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
  asked = true;
}

void sleep_until(TimePoint deadline) noexcept {
  want_exact_timers();
  const timespec until = to_timespec(deadline);
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) == EINTR) {
  }
}

void spin_until(TimePoint deadline) noexcept {
  while (monotonic() < deadline) pause_cpu();
}

// How long before its end a hybrid wait wakes up, learnt from how late sleeps are here: it follows
// the latest ones at once and comes down slowly, so that one bad moment costs some spinning and not
// lateness. Starts at 80 us: sleeps on virtual machines were 20-60 us late.
class Margin {
 public:
  Nanoseconds now() const noexcept { return Nanoseconds{ns_.load(std::memory_order_relaxed)}; }
  void learn(Nanoseconds lateness) noexcept {
    const std::int64_t old = ns_.load(std::memory_order_relaxed);
    const std::int64_t wanted = lateness.count() + lateness.count() / 2;
    const std::int64_t next = wanted > old ? wanted : old - (old - wanted) / 64;
    ns_.store(std::clamp<std::int64_t>(next, 40'000, 400'000), std::memory_order_relaxed);
  }

 private:
  std::atomic<std::int64_t> ns_{80'000};
};

// Whether watching pays a thread, learnt from its latest watches: where they end in vain (the work
// takes longer, or who is waited for has no core but this one), most waits go to sleep at once, and
// one in some tries again.
class Patience {
 public:
  bool watches() noexcept { return level_ >= 0 || ++level_ == 0; }
  // Returns whether it came.
  bool learn(bool came) noexcept {
    level_ = came ? std::min(level_ + 1, kMax) : level_ == 0 ? -kSkipped : level_ / 2;
    return came;
  }

 private:
  static constexpr int kMax = 3;
  static constexpr int kSkipped = 16;
  int level_ = kMax;  // below 0: waits that go to sleep at once
};

class RealTask final : public Task {
 public:
  RealTask(std::string_view name, Job& job) : job_(job), name_(name.substr(0, 15)) {
    try {
      thread_ = std::thread([this] { run(); });
    } catch (const std::system_error& e) {
      throw PartError(std::string("cannot start thread '") + name_ + "': " + e.what(),
                      "use fewer workers, or raise the limit of processes (ulimit -u) or of memory "
                      "(ulimit -v, ulimit -d)");
    }
  }
  ~RealTask() override { finish(); }

  void join() override {
    finish();
    if (const std::exception_ptr error = std::exchange(error_, nullptr))
      std::rethrow_exception(error);
  }

  Nanoseconds cpu_time() const override {
    if (ended_.load(std::memory_order_acquire) || !thread_.joinable()) return used_;
    clockid_t clock;
    // The thread is not joined yet, so its handle is good; its clock is not once it has ended.
    const auto handle = const_cast<std::thread&>(thread_).native_handle();
    const Nanoseconds used =
        pthread_getcpuclockid(handle, &clock) == 0 ? read_clock(clock) : Nanoseconds{-1};
    if (used.count() >= 0) return used;
    while (!ended_.load(std::memory_order_acquire)) pause_cpu();
    return used_;
  }

 private:
  void run() noexcept {
    pthread_setname_np(pthread_self(), name_.c_str());
    try {
      job_.run();
    } catch (...) {
      error_ = std::current_exception();
    }
    used_ = read_clock(CLOCK_THREAD_CPUTIME_ID);
    ended_.store(true, std::memory_order_release);
  }
  void finish() {
    if (thread_.joinable()) thread_.join();
  }

  Job& job_;
  std::string name_;
  std::exception_ptr error_;
  Nanoseconds used_{0};
  std::atomic<bool> ended_{false};
  std::thread thread_;
};

class RealRuntime final : public Runtime {
 public:
  explicit RealRuntime(Nanoseconds spin) : spin_(spin) {}

  TimePoint now() const noexcept override { return monotonic(); }

  void spend_until(TimePoint deadline, Spend how) override {
    if (how == Spend::spin) return spin_until(deadline);
    if (how == Spend::sleep) {
      if (monotonic() < deadline) sleep_until(deadline);
      return;
    }
    const TimePoint wake = deadline - margin_.now();
    if (monotonic() < wake) {
      sleep_until(wake);
      margin_.learn(monotonic() - wake);
    }
    spin_until(deadline);
  }

  bool park(Waiter& waiter, TimePoint deadline) override {
    if (take(waiter) || watch(waiter, deadline)) return true;
    std::uint32_t expected = kNone;
    if (!waiter.permit.compare_exchange_strong(expected, kAsleep, std::memory_order_acquire))
      return take(waiter);
    want_exact_timers();
    while (waiter.permit.load(std::memory_order_acquire) == kAsleep)
      if (!futex_wait(waiter.permit, deadline)) break;
    return waiter.permit.exchange(kNone, std::memory_order_acquire) == kPermit;
  }

  // After the exchange the owner may leave and its waiter end: only the address is used from then
  // on, which the kernel takes as a key and does not read; at worst a stranger at the same address
  // wakes once in vain.
  void unpark(Waiter& waiter) override {
    std::atomic<std::uint32_t>& word = waiter.permit;
    if (word.exchange(kPermit, std::memory_order_release) == kAsleep) futex_wake(word);
  }

  void yield() override {
    pause_cpu();
    sched_yield();
  }

  std::unique_ptr<Task> spawn(std::string_view name, Job& job) override {
    return std::make_unique<RealTask>(name, job);
  }

  Nanoseconds thread_cpu_time() const noexcept override {
    return read_clock(CLOCK_THREAD_CPUTIME_ID);
  }
  bool simulated() const noexcept override { return false; }

 private:
  static bool take(Waiter& waiter) noexcept {
    std::uint32_t expected = kPermit;
    return waiter.permit.load(std::memory_order_relaxed) == kPermit &&
           waiter.permit.compare_exchange_strong(expected, kNone, std::memory_order_acquire);
  }

  // Watches for a permit before the kernel is asked. True if it came.
  bool watch(Waiter& waiter, TimePoint deadline) const noexcept {
    thread_local Patience patience;
    if (spin_.count() <= 0 || !patience.watches()) return false;
    const TimePoint end = std::min(monotonic() + spin_, deadline);
    do {
      for (int i = 0; i < 8; ++i) {
        if (take(waiter)) return patience.learn(true);
        pause_cpu();
      }
    } while (monotonic() < end);
    return patience.learn(false);
  }

  Nanoseconds spin_;
  Margin margin_;
};

}  // namespace

std::unique_ptr<Runtime> make_real_runtime(Nanoseconds spin) {
  return std::make_unique<RealRuntime>(spin);
}

}  // namespace benchbench
