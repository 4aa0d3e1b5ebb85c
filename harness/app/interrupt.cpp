#include "harness/app/interrupt.h"

#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <string_view>

namespace benchbench {
namespace {

std::atomic<bool> g_interrupted{false};
std::atomic<int> g_signal{0};
std::atomic<std::int64_t> g_first{0};  // ns, when it came
// In ns: `timeout` sends its signal to the process and to its group.
constexpr std::int64_t kOneSignal = 100'000'000;

std::int64_t now_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * std::int64_t{1'000'000'000} + now.tv_nsec;
}

void say(std::string_view text) {
  const int before = errno;
  // It reaches a log; a closed terminal takes nothing.
  static_cast<void>(!::write(STDERR_FILENO, text.data(), text.size()));
  errno = before;
}

void on_signal(int signal) {
  if (!g_interrupted.exchange(true)) {
    g_signal.store(signal);
    g_first.store(now_ns());
    return;
  }
  if (signal == g_signal.load() && now_ns() - g_first.load() < kOneSignal) return;
  say("\ninterrupted twice: ended at once; what was finished is kept\n");
  ::_exit(128 + signal);  // children see the end of their pipe, and go
}

void on_hangup(int) { say("\nSIGHUP: the terminal was closed; this goes on\n"); }

}  // namespace

void listen_for_interrupts() {
  struct sigaction action{};
  action.sa_handler = on_signal;  // no SA_RESTART: poll() is to return
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  struct sigaction hangup{};
  sigaction(SIGHUP, nullptr, &hangup);
  if (hangup.sa_handler == SIG_IGN) return;  // under nohup
  action.sa_handler = on_hangup;
  sigaction(SIGHUP, &action, nullptr);
}

const std::atomic<bool>& interrupted() noexcept { return g_interrupted; }

int interrupt_exit_code() noexcept {
  const int signal = g_signal.load();
  return signal ? 128 + signal : 0;
}

}  // namespace benchbench
