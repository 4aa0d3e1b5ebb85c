// A child to talk to in frames: they go to its standard input and come from its descriptor 3. What
// it prints goes to our standard error. One thread.
#pragma once
#include <chrono>
#include <string>
#include <vector>

#include "harness/core/child_process.h"
#include "harness/process/frame.h"

namespace benchbench {

class FramedChild {
 public:
  // Runs `program arguments...`. Throws PartError where it cannot be started. The destructor kills
  // the group where it still runs.
  FramedChild(const std::string& program, const std::vector<std::string>& arguments,
              const std::vector<std::string>& environment = {});

  // False where it is gone, or did not take all of it within kSendPatience: why_given_up() says
  // which.
  bool send(std::string_view kind, std::string_view payload);
  enum class Heard { frame, nothing, ended };
  // Waits up to `patience` for a frame. `ended`: the pipe is closed and every frame was handed out.
  Heard receive(Frame& frame, std::chrono::milliseconds patience);
  // Why it is waited for in vain: "was stopped by a signal and did not go on within 5 s", "said
  // nothing for 30 min". Empty as long as it may answer. Asked at every look: time in which this
  // process did not run either does not count.
  std::string why_given_up();
  // SIGKILL to the whole group.
  void kill_group() noexcept { child_.kill_group(); }
  // Closes the control pipe (the child ends by itself), waits, and says how it ended as ChildEnd
  // does. Kills after `patience`.
  std::string finish(std::chrono::milliseconds patience);
  int pid() const noexcept { return child_.pid(); }

  static constexpr std::chrono::milliseconds kSendPatience{10'000}, kStoppedPatience{5'000};
  static constexpr std::chrono::minutes kSilencePatience{30};

 private:
  FramedChild(ChildStart start, Pipe control, Pipe reply);
  void read_reply();

  Descriptor control_, reply_;
  ChildProcess child_;
  bool closed_ = false;
  bool choked_ = false;  // it did not take what it was sent
  FrameReader reader_;
  std::chrono::steady_clock::time_point looked_{};
  std::chrono::steady_clock::duration silent_{}, stopped_{};
};

// What finish() says, behind the name of the process: "was killed by SIGKILL", "exited with status
// 3".
std::string as_predicate(const std::string& how);

}  // namespace benchbench
