// Signals that reach this program while a command of the user's runs in its foreground.
//
// The terminal, `kill -- -GROUP` and a batch system's end of a job send them to all of the process
// group: the command has them already, and a second one may mean something else to it. Those that
// were sent to this program alone are handed on.
#pragma once
#include <chrono>
#include <vector>

#include "harness/core/foreground/foreground_process.h"

namespace benchbench {

// SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1 and SIGUSR2 end this program no longer, until the
// destructor; those that are ignored stay so, here and in the command. One at a time in a program;
// one thread.
class ForegroundSignals {
 public:
  // Starts a process in our group that only notes which of these signals come to it.
  ForegroundSignals();
  ~ForegroundSignals();
  ForegroundSignals(const ForegroundSignals&) = delete;
  ForegroundSignals& operator=(const ForegroundSignals&) = delete;

  // Some has come that was not handed on.
  bool any();
  // Often, as long as the command runs: one is handed on once it is certain enough that the group
  // did not have it.
  void hand_on(ForegroundProcess& command);

 private:
  struct Came {
    int number, sender;
    bool from_kernel;
  };
  struct Pending {
    Came came;
    std::chrono::steady_clock::time_point at;
  };
  void read();
  void drop_those_of_the_group();
  static std::vector<Came> all_in(const Descriptor& pipe);

  Pipe ours_, groups_;
  int witness_ = -1;
  std::vector<int> taken_;                   // signals whose handler is ours
  std::vector<Pending> pending_, of_group_;  // not handed on yet; not met with one of ours yet
};

}  // namespace benchbench
