// The one way this program starts other programs, itself included.
#pragma once
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/descriptor.h"

namespace benchbench {

// Starts this very program again, also where its file was replaced by a newer build meanwhile.
inline constexpr const char* kOwnProgram = "/proc/self/exe";

// What to start, and with what. A value; the descriptors stay the caller's.
struct ChildStart {
  struct Wiring {
    int there;  // the number it has in the child, 0 to 9
    int ours;   // a descriptor of ours, or kNull
  };
  static constexpr int kNull = -1;  // /dev/null, to read and to write

  std::string program;                 // a path: no PATH is searched
  std::vector<std::string> arguments;  // after the program's own name
  // "NAME=value", in addition to ours or instead of ours of that name.
  std::vector<std::string> environment;
  // 0, 1 and 2 are ours where nothing is said; every other descriptor reaches the child only where
  // it is not close-on-exec, which all that this program opens are.
  std::vector<Wiring> descriptors;
};

// For exec: valid as long as `words`.
std::vector<char*> pointers(std::vector<std::string>& words);
// 0 once the child has closed its end on exec, else the errno that it sent.
int complaint_of(Pipe& complaints);
// Ours with `extra`, each "NAME=value".
std::vector<std::string> merged_environment(const std::vector<std::string>& extra);

struct ChildEnd {
  int status = 0;  // that it exited with
  int signal = 0;  // that killed it; 0 where it exited

  bool good() const noexcept { return status == 0 && signal == 0; }
  // Returns the end that a status of waitpid() tells.
  static ChildEnd from_status(int wait_status) noexcept;
  // "" where it was good; "exited with status 3", "killed by SIGSEGV (Segmentation fault)".
  std::string text() const;
};
// "SIGSEGV"; "signal 40" for one without a name.
std::string signal_name(int number);

// A running child, in a process group of its own, with the signals at their defaults, but SIGHUP,
// which it ignores where we do not end of it. It does not outlive us: the kernel kills it when the
// *thread* that started it ends, and the destructor kills its group and waits. What it has left
// running in its group is killed as its end is seen.
//
// One that end_descendants() reaped has ended with status 0, as far as is known, and nothing is
// killed.
//
// One thread at a time. Waiting is for another process, not for a thread of ours, so it is no
// matter of the Runtime.
class ChildProcess {
 public:
  // Returns once the program runs. Throws PartError "PROGRAM cannot be started: No such file or
  // directory".
  explicit ChildProcess(const ChildStart& start);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  int pid() const noexcept { return pid_; }
  // To the child alone; nothing once its end was seen.
  void send_signal(int number) noexcept;
  // SIGKILL to its group; nothing once its end was seen.
  void kill_group() noexcept;
  // Waits for its end, which is remembered, at most until `deadline`; nullopt where it still runs.
  std::optional<ChildEnd> wait_until(std::chrono::steady_clock::time_point deadline);
  ChildEnd await_end();

 private:
  bool reap(bool block);
  bool is_child() const noexcept;
  int pid_ = -1;
  std::optional<ChildEnd> end_;
};

// Makes this process the parent of orphans below it, so that children of children can be ended:
// core/process_tree.h.
void become_subreaper();

}  // namespace benchbench
