// A command of the user's that runs as if their shell had started it: with their terminal, in our process group.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "harness/core/child_process.h"

namespace benchbench {

// SIGPIPE: a closed pipe is an error of write(). A ForegroundProcess has it as it was before.
void ignore_broken_pipes() noexcept;

// It is the user's: it outlives us, and its destructor neither ends it nor waits for it. One thread.
class ForegroundProcess {
 public:
  // `words`: the program, searched in PATH where it has no slash, and its arguments. `environment` as in ChildStart. Returns once
  // it runs; UsageError where there is no such program. `folder`: where it runs; empty: where we do. Signals that this program
  // catches are at their defaults there, ignored ones stay ignored.
  ForegroundProcess(std::vector<std::string> words, const std::vector<std::string>& environment, const std::string& folder = {});

  int pid() const noexcept { return pid_; }
  void send_signal(int number) noexcept;
  // How it ended; nullopt: it runs.
  std::optional<ChildEnd> ended();

 private:
  int pid_ = -1;
  std::optional<ChildEnd> end_;
};

}  // namespace benchbench
