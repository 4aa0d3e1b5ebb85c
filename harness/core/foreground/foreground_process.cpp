#include "harness/core/foreground/foreground_process.h"

#include <errno.h>
#include <fmt/format.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "harness/core/error.h"

namespace benchbench {
namespace {

struct sigaction g_broken_pipe {};   // as it was before we ignored it
bool g_ignores_broken_pipes = false;

// A handler of ours is nothing that the command could run, also not between fork and exec; what our caller ignores, as nohup
// does, stays ignored.
void reset_signals(const sigset_t& mask) {
  for (int number = 1; number < NSIG; ++number) {
    struct sigaction now {};
    if (::sigaction(number, nullptr, &now) == 0 && now.sa_handler != SIG_IGN && now.sa_handler != SIG_DFL) ::signal(number, SIG_DFL);
  }
  if (g_ignores_broken_pipes) ::sigaction(SIGPIPE, &g_broken_pipe, nullptr);
  ::sigprocmask(SIG_SETMASK, &mask, nullptr);
}

// After fork: only async-signal-safe calls.
[[noreturn]] void become(char* const* argv, char* const* envp, const char* folder, int complaint, const sigset_t& mask) {
  reset_signals(mask);
  if (!*folder || ::chdir(folder) == 0) ::execvpe(argv[0], argv, envp);
  const int why = errno;
  static_cast<void>(!::write(complaint, &why, sizeof why));
  ::_exit(127);
}

}  // namespace

void ignore_broken_pipes() noexcept {
  struct sigaction ignore {};
  ignore.sa_handler = SIG_IGN;
  g_ignores_broken_pipes = ::sigaction(SIGPIPE, &ignore, &g_broken_pipe) == 0;
}

ForegroundProcess::ForegroundProcess(std::vector<std::string> words, const std::vector<std::string>& environment, const std::string& folder) {
  std::vector<std::string> variables = merged_environment(environment);
  const std::vector<char*> argv = pointers(words), envp = pointers(variables);
  Pipe complaints = make_pipe();
  sigset_t all, mask;
  ::sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, &mask);
  pid_ = ::fork();
  if (pid_ == 0) become(argv.data(), envp.data(), folder.c_str(), complaints.write.get(), mask);
  ::sigprocmask(SIG_SETMASK, &mask, nullptr);
  if (pid_ < 0) throw PartError(fmt::format("cannot start {}: {}", words.front(), strerrordesc_np(errno)));
  if (const int why = complaint_of(complaints)) {
    ::waitpid(pid_, nullptr, 0);
    throw UsageError(fmt::format("{} cannot be started: {}", words.front(), strerrordesc_np(why)),
                     "after -- comes the command as you would type it in a shell");
  }
}

void ForegroundProcess::send_signal(int number) noexcept {
  if (!end_) ::kill(pid_, number);
}

std::optional<ChildEnd> ForegroundProcess::ended() {
  if (end_) return end_;
  int status = 0;
  if (::waitpid(pid_, &status, WNOHANG) != pid_) return std::nullopt;
  end_ = WIFSIGNALED(status) ? ChildEnd{0, WTERMSIG(status)} : ChildEnd{WEXITSTATUS(status), 0};
  return end_;
}

}  // namespace benchbench
