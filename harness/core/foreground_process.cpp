#include "harness/core/foreground_process.h"

#include <errno.h>
#include <fmt/format.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "harness/core/error.h"

namespace benchbench {
namespace {

// After fork: only async-signal-safe calls. What we ignore or catch is not the command's to inherit.
[[noreturn]] void become(char* const* argv, char* const* envp, const char* folder, int complaint) {
  for (const int s : {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGPIPE}) ::signal(s, SIG_DFL);
  if (!*folder || ::chdir(folder) == 0) ::execvpe(argv[0], argv, envp);
  const int why = errno;
  static_cast<void>(!::write(complaint, &why, sizeof why));
  ::_exit(127);
}

}  // namespace

ForegroundProcess::ForegroundProcess(std::vector<std::string> words, const std::vector<std::string>& environment, const std::string& folder) {
  std::vector<std::string> variables = merged_environment(environment);
  const std::vector<char*> argv = pointers(words), envp = pointers(variables);
  Pipe complaints = make_pipe();
  pid_ = ::fork();
  if (pid_ == 0) become(argv.data(), envp.data(), folder.c_str(), complaints.write.get());
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
