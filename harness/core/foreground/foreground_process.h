// A command of the user's that runs as if their shell had started it: with their terminal, in our
// process group.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "harness/core/child_process.h"

namespace benchbench {

struct ForegroundPlace {
  std::string folder;             // where it runs; empty: where we do
  bool prints_to_stderr = false;  // what it prints on standard output goes to our standard error
};

// The file that a command's first word is, as a shell finds it; UsageError where there is none that
// can be run.
std::string program_of(const std::string& word);

// SIGPIPE and SIGXFSZ: a closed pipe, or a file beyond `ulimit -f`, is an error of write(). A
// ForegroundProcess has them as they were before.
void ignore_signals_of_writes() noexcept;

// It is the user's: it outlives us, and its destructor neither ends it nor waits for it. One
// thread.
class ForegroundProcess {
 public:
  // `words`: the program, searched in PATH where it has no slash, and its arguments. `environment`
  // as in ChildStart. Returns once it runs; UsageError where there is no such program. Signals that
  // this program catches are at their defaults there, ignored ones stay ignored.
  ForegroundProcess(std::vector<std::string> words, const std::vector<std::string>& environment,
                    const ForegroundPlace& place = {});

  int pid() const noexcept { return pid_; }
  void send_signal(int number) noexcept;
  // How it ended; nullopt: it runs.
  std::optional<ChildEnd> ended();

 private:
  int pid_ = -1;
  std::optional<ChildEnd> end_;
};

}  // namespace benchbench
