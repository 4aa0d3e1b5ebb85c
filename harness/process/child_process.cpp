#include "harness/process/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "harness/core/error.h"

namespace benchbench {

namespace {

constexpr int kReplyDescriptor = 3;

struct Pipe {
  int read = -1, write = -1;
  Pipe() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) throw PartError(fmt::format("no pipe for a child: {}", std::strerror(errno)));
    read = ends[0];
    write = ends[1];
  }
};

// After fork: only async-signal-safe calls.
[[noreturn]] void become_child(int control, int reply, char* const* argv, char* const* envp) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  // The pipes may sit on the numbers they are to become: move them away first.
  const int c = ::fcntl(control, F_DUPFD, 10), r = ::fcntl(reply, F_DUPFD, 10);
  if (c < 0 || r < 0 || ::dup2(c, STDIN_FILENO) < 0 || ::dup2(STDERR_FILENO, STDOUT_FILENO) < 0 ||
      ::dup2(r, kReplyDescriptor) < 0)
    ::_exit(127);
  ::close(c);
  ::close(r);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  for (const int s : {SIGINT, SIGTERM, SIGPIPE}) ::signal(s, SIG_DFL);
  ::execve(argv[0], argv, envp);
  ::_exit(127);
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> out;
  for (std::string& w : words) out.push_back(w.data());
  out.push_back(nullptr);
  return out;
}

std::vector<std::string> merged_environment(const std::vector<std::string>& extra) {
  std::vector<std::string> all = extra;
  for (char** e = environ; *e; ++e) {
    const std::string_view have(*e);
    const std::string_view key = have.substr(0, have.find('=') + 1);
    bool replaced = false;
    for (const std::string& x : extra) replaced = replaced || std::string_view(x).starts_with(key);
    if (!replaced) all.emplace_back(have);
  }
  return all;
}

std::string ending(int status) {
  if (WIFEXITED(status)) {
    if (WEXITSTATUS(status) == 0) return "";
    if (WEXITSTATUS(status) == 127) return "could not be started";
    return fmt::format("exited with status {}", WEXITSTATUS(status));
  }
  const int signal = WTERMSIG(status);
  return fmt::format("killed by SIG{} ({}){}", sigabbrev_np(signal), strsignal(signal),
                     signal == SIGKILL ? ": out of memory, or somebody's kill" : "");
}

}  // namespace

ChildProcess::ChildProcess(const std::string& program, const std::vector<std::string>& arguments,
                           const std::vector<std::string>& environment) {
  Pipe control, reply;
  std::vector<std::string> argv_text{program};
  argv_text.insert(argv_text.end(), arguments.begin(), arguments.end());
  std::vector<std::string> env_text = merged_environment(environment);
  const std::vector<char*> argv = pointers(argv_text), envp = pointers(env_text);
  pid_ = ::fork();
  if (pid_ == 0) become_child(control.read, reply.write, argv.data(), envp.data());
  ::close(control.read);
  ::close(reply.write);
  control_ = control.write;
  reply_ = reply.read;
  if (pid_ < 0) throw PartError(fmt::format("no child could be started: {}", std::strerror(errno)));
  ::setpgid(pid_, pid_);  // in both, so that neither races
}

ChildProcess::~ChildProcess() {
  if (!reaped_) {
    kill_group();
    reap(true);
  }
  if (control_ >= 0) ::close(control_);
  if (reply_ >= 0) ::close(reply_);
}

bool ChildProcess::send(std::string_view kind, std::string_view payload) {
  return control_ >= 0 && write_frame(control_, kind, payload);
}

ChildProcess::Heard ChildProcess::receive(Frame& frame, std::chrono::milliseconds patience) {
  for (;;) {
    if (auto next = reader_.next()) {
      frame = std::move(*next);
      return Heard::frame;
    }
    if (closed_) return Heard::ended;
    pollfd p{reply_, POLLIN, 0};
    const int ready = ::poll(&p, 1, static_cast<int>(patience.count()));
    if (ready <= 0) return Heard::nothing;  // time out, or a signal: the caller looks at its stop flag
    char bytes[65536];
    const ssize_t n = ::read(reply_, bytes, sizeof bytes);
    if (n > 0)
      reader_.feed({bytes, static_cast<std::size_t>(n)});
    else if (n == 0 || errno != EINTR)
      closed_ = true;
  }
}

void ChildProcess::kill_group() noexcept {
  if (pid_ > 0 && !reaped_) ::kill(-pid_, SIGKILL);
}

bool ChildProcess::reap(bool block) {
  if (reaped_ || pid_ <= 0) return true;
  int result = 0;
  do result = ::waitpid(pid_, &status_, block ? 0 : WNOHANG);
  while (result < 0 && errno == EINTR);
  reaped_ = result != 0;
  return reaped_;
}

std::string ChildProcess::finish(std::chrono::milliseconds patience) {
  if (control_ >= 0) ::close(control_);
  control_ = -1;
  const auto until = std::chrono::steady_clock::now() + patience;
  Frame unread;
  while (!closed_ && std::chrono::steady_clock::now() < until) receive(unread, std::chrono::milliseconds{100});
  while (!reap(false) && std::chrono::steady_clock::now() < until) ::poll(nullptr, 0, 5);
  bool killed = false;
  if (!reap(false)) {
    kill_group();
    killed = true;
  }
  const int group = pid_;
  reap(true);
  ::kill(-group, SIGKILL);  // workers it left behind
  return killed ? "did not end by itself and was killed" : ending(status_);
}

void become_subreaper() { ::prctl(PR_SET_CHILD_SUBREAPER, 1); }

void reap_orphans() {
  while (::waitpid(-1, nullptr, WNOHANG) > 0) {
  }
}

}  // namespace benchbench
