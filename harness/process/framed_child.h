// A child to talk to in frames: they go to its standard input and come from its descriptor 3. What it prints goes to our
// standard error. One thread.
#pragma once
#include <chrono>
#include <string>
#include <vector>

#include "harness/core/child_process.h"
#include "harness/process/frame.h"

namespace benchbench {

class FramedChild {
 public:
  // Runs `program arguments...`. Throws PartError where it cannot be started. The destructor kills the group where it
  // still runs.
  FramedChild(const std::string& program, const std::vector<std::string>& arguments,
              const std::vector<std::string>& environment = {});

  bool send(std::string_view kind, std::string_view payload);
  enum class Heard { frame, nothing, ended };
  // Waits up to `patience` for a frame. `ended`: the pipe is closed and every frame was handed out.
  Heard receive(Frame& frame, std::chrono::milliseconds patience);
  // SIGKILL to the whole group.
  void kill_group() noexcept { child_.kill_group(); }
  // Closes the control pipe (the child ends by itself), waits, and says how it ended as ChildEnd does. Kills after
  // `patience`.
  std::string finish(std::chrono::milliseconds patience);
  int pid() const noexcept { return child_.pid(); }

 private:
  FramedChild(ChildStart start, Pipe control, Pipe reply);
  Descriptor control_, reply_;
  ChildProcess child_;
  bool closed_ = false;
  FrameReader reader_;
};

}  // namespace benchbench
