// What is left of a command whose ranks were stopped, and that does not end: it would wait for them
// without end.
#pragma once
#include <string>
#include <vector>

#include "harness/part/wrapped.h"

namespace benchbench {

class WrapRest {
 public:
  // `environment`: that the command was started with.
  explicit WrapRest(const std::vector<std::string>& environment);

  // As often as there is time: kills all processes of the command where they hang, and says so.
  void end(const WrapSession& session);
  // Kills all processes of the command.
  void kill() const noexcept;
  // Processes of the command that run.
  std::vector<int> running() const;

 private:
  std::string mark_;  // that all of them have in their environment
  bool ended_ = false;
};

}  // namespace benchbench
