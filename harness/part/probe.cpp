// The throw-away child that loads a module first, so that one that crashes or hangs at load costs nothing.
// Waits by poll and waitpid, for a process, not for a thread of ours.
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>

#include "harness/part/child_probe.h"
#include "harness/part/module.h"

extern char** environ;

namespace benchbench {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t kMaxWords = 64 * 1024;

class Descriptor {
 public:
  explicit Descriptor(int fd = -1) noexcept : fd_(fd) {}
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const noexcept { return fd_; }
  void close() noexcept {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }

 private:
  int fd_;
};

// In a process group of its own, so that what it starts ends with it.
int spawn(const std::vector<std::string>& arguments, int errors_to, pid_t& child) {
  std::vector<char*> argv;
  for (const auto& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&files, errors_to, 2);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  const int failed = posix_spawn(&child, argv[0], &files, &attributes, argv.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return failed;
}

// What comes through the pipe until its end; false where the time ran out first.
bool listen(int pipe, Clock::time_point deadline, std::string& words) {
  char buffer[4096];
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return false;
    pollfd wanted{pipe, POLLIN, 0};
    const int ready = poll(&wanted, 1, static_cast<int>(left));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return ready < 0;
    const ssize_t n = read(pipe, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return true;
    if (words.size() < kMaxWords) words.append(buffer, static_cast<std::size_t>(n));
  }
}

int end_of(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return 0;
  }
  return status;
}

std::string signal_name(int number) {
  const char* name = sigabbrev_np(number);
  return name ? fmt::format("SIG{}", name) : fmt::format("signal {}", number);
}

std::string reason_of(int status, const std::string& words) {
  if (WIFSIGNALED(status)) return fmt::format("it crashed when loaded ({})", signal_name(WTERMSIG(status)));
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
  std::string line = words.substr(0, words.find('\n'));
  return line.empty() ? fmt::format("exit status {}", WEXITSTATUS(status)) : line;
}

}  // namespace

std::string ask_child(const std::vector<std::string>& arguments, Nanoseconds limit) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return fmt::format("no pipe: {}", strerrordesc_np(errno));
  Descriptor from(ends[0]), to(ends[1]);
  pid_t child = -1;
  if (const int failed = spawn(arguments, to.get(), child)) {
    return fmt::format("{} cannot be started: {}", arguments.front(), strerrordesc_np(failed));
  }
  to.close();
  std::string words;
  // The pipe ends with the child and with whoever else holds its error stream: no end in time means a kill
  // for all.
  const bool answered = listen(from.get(), Clock::now() + limit, words);
  if (!answered) kill(-child, SIGKILL);
  const int status = end_of(child);
  if (!answered) return fmt::format("no answer within {}", duration_text(limit));
  return reason_of(status, words);
}

std::string probe_module(std::string_view name) {
  return ask_child({"/proc/self/exe", "probe-module", std::string(name)}, std::chrono::seconds{30});
}

}  // namespace benchbench
