// Asks a question of a throw-away child process.
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/child_process.h"
#include "harness/core/units.h"

namespace benchbench {

// How a child ended, and what it said.
struct ChildAnswer {
  std::string why;    // "" where it exited 0, else as ask_child()
  std::string words;  // all that it wrote to its error stream, 64 KiB at most
};

// Runs `arguments` (the first is the program's path) with no input and no output, and waits at most
// `limit`, then kills it. "" where it exits 0; else the first line it wrote to its error stream, or
// how it ended ("exit status 3", "SIGSEGV", "no answer within 30s"). The child's own children are
// killed with it.
std::string ask_child(const std::vector<std::string>& arguments, Nanoseconds limit);
// Likewise, with its words.
ChildAnswer answer_of_child(const std::vector<std::string>& arguments, Nanoseconds limit);

// A child that has answered and stays, with all that it holds open, until this ends or this process
// does: it is to close its error stream behind its answer, and to end once its input has ended. The
// thread that makes one outlives it.
class StayingChild {
 public:
  // Waits for the answer at most `limit`. One that gives none is killed. Words without `mark` are
  // no answer: the child is to end then, and `why` says how it did.
  StayingChild(const std::vector<std::string>& arguments, std::string_view mark, Nanoseconds limit);
  // `why` is "" as long as it is not known to have failed.
  const ChildAnswer& answer() const noexcept { return answer_; }

 private:
  void start(const std::vector<std::string>& arguments, std::string_view mark, Nanoseconds limit);

  Pipe input_;
  std::unique_ptr<ChildProcess> child_;
  ChildAnswer answer_;
};

}  // namespace benchbench
