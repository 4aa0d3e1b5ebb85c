#include "harness/app/interrupt.h"

#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>

namespace benchbench {
namespace {

std::atomic<bool> g_interrupted{false};
std::atomic<int> g_signal{0};

void on_signal(int signal) {
  if (g_interrupted.exchange(true)) ::_exit(128 + signal);  // children see the end of their pipe, and go
  g_signal.store(signal);
}

void on_hangup(int) {
  constexpr std::string_view text = "\nSIGHUP: the terminal was closed; this goes on\n";
  const int before = errno;
  static_cast<void>(!::write(STDERR_FILENO, text.data(), text.size()));   // into a log; a closed terminal takes nothing
  errno = before;
}

}  // namespace

void listen_for_interrupts() {
  struct sigaction action {};
  action.sa_handler = on_signal;  // no SA_RESTART: poll() is to return
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  struct sigaction hangup {};
  sigaction(SIGHUP, nullptr, &hangup);
  if (hangup.sa_handler == SIG_IGN) return;   // under nohup
  action.sa_handler = on_hangup;
  sigaction(SIGHUP, &action, nullptr);
}

const std::atomic<bool>& interrupted() noexcept { return g_interrupted; }

int interrupt_exit_code() noexcept {
  const int signal = g_signal.load();
  return signal ? 128 + signal : 0;
}

}  // namespace benchbench
