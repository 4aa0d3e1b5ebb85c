// One child: the same program, started with a control pipe as its standard input and a reply pipe, in a process group
// of its own. What it prints goes to our standard error.
#pragma once
#include <atomic>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "harness/process/frame.h"

namespace benchbench {

class ChildProcess {
 public:
  // Runs `program arguments...`; the reply pipe is file descriptor 3 there. Throws PartError where it cannot be started.
  ChildProcess(const std::string& program, const std::vector<std::string>& arguments,
               const std::vector<std::string>& environment = {});
  // Kills the group where it still runs.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  bool send(std::string_view kind, std::string_view payload);
  enum class Heard { frame, nothing, ended };
  // Waits up to `patience` for a frame. `ended`: the pipe is closed and every frame was handed out.
  Heard receive(Frame& frame, std::chrono::milliseconds patience);
  // SIGKILL to the whole group.
  void kill_group() noexcept;
  // Closes the control pipe (the child ends by itself), waits, and says how it ended: "" for exit 0, else
  // "exited with status 3", "killed by SIGSEGV (Segmentation fault)". Kills after `patience`.
  std::string finish(std::chrono::milliseconds patience);
  int pid() const noexcept { return pid_; }

 private:
  bool reap(bool block);
  int pid_ = -1;
  int control_ = -1;
  int reply_ = -1;
  int status_ = 0;
  bool reaped_ = false;
  bool closed_ = false;
  FrameReader reader_;
};

// What starts this very program again, also where its file was replaced by a newer build meanwhile.
inline constexpr const char* kOwnProgram = "/proc/self/exe";
// Makes this process adopt orphans, so that workers of workers are reaped too; kills and reaps those left over.
void become_subreaper();
void reap_orphans();

}  // namespace benchbench
