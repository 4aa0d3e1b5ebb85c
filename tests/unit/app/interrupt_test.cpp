// What a signal that comes again does, in a process of its own.
#include "harness/app/interrupt.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include <catch2/catch.hpp>

namespace benchbench::interrupt_test {

constexpr int kLives = 77;

// How a process ends that hears `signals`, one after the other, each handled before the next.
int end_after(std::initializer_list<int> signals) {
  const pid_t child = ::fork();
  if (child == 0) {
    listen_for_interrupts();
    for (const int number : signals) ::raise(number);
    ::_exit(interrupted() ? kLives : 0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_CASE("interrupt: the same signal at once is one, another one ends the process",
          "[unit][app]") {
  CHECK(end_after({}) == 0);
  CHECK(end_after({SIGINT}) == kLives);
  int twice = 0;  // unless the process was stopped for 0.1 s in between
  for (int run = 0; run < 3 && twice != kLives; ++run) twice = end_after({SIGTERM, SIGTERM});
  CHECK(twice == kLives);
  CHECK(end_after({SIGINT, SIGTERM}) == 128 + SIGTERM);
  CHECK(end_after({SIGTERM, SIGINT}) == 128 + SIGINT);
}

}  // namespace benchbench::interrupt_test
