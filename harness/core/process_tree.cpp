#include "harness/core/process_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>

#include "harness/core/descriptor.h"

namespace benchbench {
namespace {

constexpr int kReapEveryMs = 5;

// "pid (name) S ppid ...": the name may hold anything, a closing bracket too. Fields count from 1
// as proc(5) has them.
std::optional<ProcessSeen> parsed(const char* text) {
  ProcessSeen p;
  const char* at = std::strrchr(text, ')');
  if (!at) return std::nullopt;
  unsigned long long user = 0, system = 0, waited_user = 0, waited_system = 0, started = 0;
  if (std::sscanf(
          at + 1,
          " %c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu %llu %llu %*d %*d %*d %*d %llu",
          &p.state, &p.parent, &user, &system, &waited_user, &waited_system, &started) != 7)
    return std::nullopt;
  p.pid = std::atoi(text);
  p.user_ticks = user;
  p.system_ticks = system;
  p.waited_user_ticks = waited_user;
  p.waited_system_ticks = waited_system;
  p.started = started;
  return p;
}

struct Spared {
  bool looked = false;  // at those that others had started
  std::vector<ProcessSeen> processes;
};
Spared& spared() {
  static Spared one;
  return one;
}

bool is_spared(const ProcessSeen& p) {
  return std::ranges::any_of(spared().processes, [&](const ProcessSeen& s) {
    return s.pid == p.pid && s.started == p.started;
  });
}

// Returns those below `pid`, without any that `leave_out` is true of and what is below it. A child
// may have a smaller number than its parent, once numbers have come round: by generations.
template <class LeaveOut>
std::vector<ProcessSeen> processes_below(int pid, LeaveOut leave_out) {
  const std::vector<ProcessSeen> all = every_process();
  std::vector<ProcessSeen> below;
  const auto add_children_of = [&](int parent) {
    for (const ProcessSeen& p : all)
      if (p.parent == parent && !leave_out(p)) below.push_back(p);
  };
  add_children_of(pid);
  for (std::size_t i = 0; i < below.size(); ++i) add_children_of(below[i].pid);
  return below;
}

// Where the number is another's by now, nothing: the handle is of whoever has it, who is looked at
// once more.
void kill_surely(const ProcessSeen& p) {
  const Descriptor handle(static_cast<int>(::syscall(SYS_pidfd_open, p.pid, 0)));
  const auto now = see_process(p.pid);
  if (handle && now && now->started == p.started)
    ::syscall(SYS_pidfd_send_signal, handle.get(), SIGKILL, nullptr, 0);
}

void reap_all() {
  while (::waitpid(-1, nullptr, WNOHANG) > 0) {
  }
}

}  // namespace

std::optional<ProcessSeen> see_process(int pid) {
  char path[32], text[1024];
  std::snprintf(path, sizeof path, "/proc/%d/stat", pid);
  const Descriptor file(::open(path, O_RDONLY | O_CLOEXEC));
  const ssize_t n = file ? ::read(file.get(), text, sizeof text - 1) : -1;
  if (n <= 0) return std::nullopt;
  text[n] = '\0';
  return parsed(text);
}

std::vector<ProcessSeen> every_process() {
  std::vector<ProcessSeen> all;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir("/proc"), ::closedir);
  while (const dirent* entry = folder ? ::readdir(folder.get()) : nullptr)
    if (const int pid = std::atoi(entry->d_name); pid > 0)
      if (auto seen = see_process(pid)) all.push_back(*seen);
  return all;
}

std::vector<ProcessSeen> descendants_of(int pid) {
  return processes_below(pid, [](const ProcessSeen&) { return false; });
}

void spare_present_descendants() {
  if (std::exchange(spared().looked, true)) return;
  for (const ProcessSeen& p : descendants_of(::getpid())) spared().processes.push_back(p);
}

void spare_descendant(int pid) {
  const auto seen = see_process(pid);
  if (seen && !is_spared(*seen)) spared().processes.push_back(*seen);
}

bool end_descendants(std::chrono::milliseconds patience, std::chrono::milliseconds grace) {
  const auto kill_from = std::chrono::steady_clock::now() + grace, until = kill_from + patience;
  for (;;) {
    reap_all();
    const std::vector<ProcessSeen> left = processes_below(::getpid(), is_spared);
    if (left.empty()) return true;
    const auto now = std::chrono::steady_clock::now();
    if (now >= until) return false;
    if (now >= kill_from)
      for (const ProcessSeen& p : left) kill_surely(p);
    ::poll(nullptr, 0, kReapEveryMs);
  }
}

}  // namespace benchbench
