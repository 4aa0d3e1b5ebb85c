#include "harness/core/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>

#include "harness/core/error.h"

namespace benchbench {
namespace {

// Descriptors are moved here before they get their numbers in the child.
constexpr int kAboveWired = 10;
constexpr int kNotStarted = 127;  // what shells and ld.so exit with too
constexpr int kLookEveryMs = 5;

// What the child needs, made before the fork: after it nothing may allocate.
struct Prepared {
  std::vector<std::string> words, variables;
  std::vector<char*> argv, envp;
  std::vector<ChildStart::Wiring> wired;
  int complaint;  // where to say why the program cannot run; closed on exec

  Prepared(const ChildStart& start, int complaints)
      : words{start.program},
        variables(merged_environment(start.environment)),
        wired(start.descriptors),
        complaint(complaints) {
    words.insert(words.end(), start.arguments.begin(), start.arguments.end());
    argv = pointers(words);
    envp = pointers(variables);
  }
};

// A limit below the number asked for is EINVAL to the kernel, and too few descriptors to whoever
// reads of it.
bool move_away(int& descriptor) {
  const int moved = ::fcntl(descriptor, F_DUPFD_CLOEXEC, kAboveWired);
  if (moved < 0 && errno == EINVAL) errno = EMFILE;
  if (moved >= 0) descriptor = moved;
  return moved >= 0;
}

// A descriptor of ours may sit on a number that another is to get: all move away first.
bool wire(std::vector<ChildStart::Wiring>& wired, int& complaint) {
  if (!move_away(complaint)) return false;  // said where it was: nothing has its number yet
  for (auto& w : wired) {
    if (w.ours == ChildStart::kNull) w.ours = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    if (w.ours < 0 || !move_away(w.ours)) return false;
  }
  for (const auto& w : wired)
    if (::dup2(w.ours, w.there) < 0) return false;
  return true;
}

// A hangup that ends not us is not to end what works for us.
void ignore_what_we_outlive() {
  struct sigaction ours{};
  ::sigaction(SIGHUP, nullptr, &ours);
  if (ours.sa_handler != SIG_DFL) ::signal(SIGHUP, SIG_IGN);
}

// After fork: only async-signal-safe calls.
[[noreturn]] void become_child(Prepared& p) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (wire(p.wired, p.complaint)) {
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    for (const int s : {SIGINT, SIGTERM, SIGPIPE}) ::signal(s, SIG_DFL);
    ignore_what_we_outlive();
    ::execve(p.argv[0], p.argv.data(), p.envp.data());
  }
  const int why = errno;
  static_cast<void>(!::write(p.complaint, &why, sizeof why));
  ::_exit(kNotStarted);
}

}  // namespace

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> out;
  for (std::string& w : words) out.push_back(w.data());
  out.push_back(nullptr);
  return out;
}

int complaint_of(Pipe& complaints) {
  complaints.write.close();
  int why = 0;
  ssize_t n = 0;
  do n = ::read(complaints.read.get(), &why, sizeof why);
  while (n < 0 && errno == EINTR);
  return n == sizeof why ? why : 0;
}

std::vector<std::string> merged_environment(const std::vector<std::string>& extra) {
  std::vector<std::string> all = extra;
  for (char** e = environ; *e; ++e) {
    const std::string_view have(*e), key = have.substr(0, have.find('=') + 1);
    const auto sets_key = [&](const std::string& x) { return x.starts_with(key); };
    if (std::ranges::none_of(extra, sets_key)) all.emplace_back(have);
  }
  return all;
}

Pipe make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    throw PartError(
        fmt::format("cannot create a pipe to a child process: {}", strerrordesc_np(errno)));
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

std::string signal_name(int number) {
  const char* name = sigabbrev_np(number);
  return name ? fmt::format("SIG{}", name) : fmt::format("signal {}", number);
}

ChildEnd ChildEnd::from_status(int wait_status) noexcept {
  return WIFSIGNALED(wait_status) ? ChildEnd{0, WTERMSIG(wait_status)}
                                  : ChildEnd{WEXITSTATUS(wait_status), 0};
}

std::string ChildEnd::text() const {
  if (signal)
    return fmt::format("killed by {} ({}){}", signal_name(signal), strsignal(signal),
                       signal == SIGKILL ? ": out of memory, or killed by hand" : "");
  if (status == kNotStarted) return "could not be started";
  return status ? fmt::format("exited with status {}", status) : "";
}

ChildProcess::ChildProcess(const ChildStart& start) {
  Pipe complaints = make_pipe();
  Prepared prepared(start, complaints.write.get());
  pid_ = ::fork();
  if (pid_ == 0) become_child(prepared);
  if (pid_ < 0)
    throw PartError(fmt::format("cannot start a child process: {}", strerrordesc_np(errno)));
  ::setpgid(pid_, pid_);  // in both, so that neither races
  if (const int why = complaint_of(complaints)) {
    await_end();
    throw PartError(fmt::format("{} cannot be started: {}", start.program, strerrordesc_np(why)));
  }
}

ChildProcess::~ChildProcess() {
  kill_group();
  await_end();
}

void ChildProcess::send_signal(int number) noexcept {
  if (!end_) ::kill(pid_, number);
}

void ChildProcess::kill_group() noexcept {
  if (!end_ && is_child()) ::kill(-pid_, SIGKILL);
}

// False where another reaped it, so that its number may be that of others by now.
bool ChildProcess::is_child() const noexcept {
  siginfo_t seen{};
  return ::waitid(P_PID, static_cast<id_t>(pid_), &seen, WEXITED | WNOWAIT | WNOHANG) == 0 ||
         errno != ECHILD;
}

bool ChildProcess::reap(bool block) {
  if (end_) return true;
  siginfo_t seen{};
  int result = 0;
  do
    result =
        ::waitid(P_PID, static_cast<id_t>(pid_), &seen, WEXITED | WNOWAIT | (block ? 0 : WNOHANG));
  while (result < 0 && errno == EINTR);
  if (result == 0 && seen.si_pid == 0) return false;
  int status = 0;
  if (result == 0) kill_group();  // before its number is free for others
  while (result == 0 && ::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  end_ = ChildEnd::from_status(status);
  return true;
}

std::optional<ChildEnd> ChildProcess::wait_until(std::chrono::steady_clock::time_point deadline) {
  while (!reap(false) && std::chrono::steady_clock::now() < deadline)
    ::poll(nullptr, 0, kLookEveryMs);
  return end_;
}

ChildEnd ChildProcess::await_end() {
  reap(true);
  return *end_;
}

void become_subreaper() { ::prctl(PR_SET_CHILD_SUBREAPER, 1); }

}  // namespace benchbench
