#include "harness/core/foreground/foreground_process.h"

#include <errno.h>
#include <fmt/format.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>

#include "harness/core/error.h"
#include "harness/core/files/program_path.h"

namespace benchbench {
namespace {

// Signals that would end us where a write fails with an error just as well.
constexpr std::array kOfWrites{SIGPIPE, SIGXFSZ};
struct sigaction g_before[kOfWrites.size()]{};  // as they were before we ignored them
bool g_ignores[kOfWrites.size()]{};

// A handler of ours is nothing that the command could run, also not between fork and exec; what our
// caller ignores, as nohup does, stays ignored.
void reset_signals(const sigset_t& mask) {
  for (int number = 1; number < NSIG; ++number) {
    struct sigaction now{};
    if (::sigaction(number, nullptr, &now) == 0 && now.sa_handler != SIG_IGN &&
        now.sa_handler != SIG_DFL)
      ::signal(number, SIG_DFL);
  }
  for (std::size_t i = 0; i < kOfWrites.size(); ++i)
    if (g_ignores[i]) ::sigaction(kOfWrites[i], &g_before[i], nullptr);
  ::sigprocmask(SIG_SETMASK, &mask, nullptr);
}

// After fork: only async-signal-safe calls.
[[noreturn]] void become(char* const* argv, char* const* envp, const ForegroundPlace& place,
                         int complaint, const sigset_t& mask) {
  reset_signals(mask);
  if (place.prints_to_stderr) ::dup2(STDERR_FILENO, STDOUT_FILENO);
  if (place.folder.empty() || ::chdir(place.folder.c_str()) == 0) ::execvpe(argv[0], argv, envp);
  const int why = errno;
  static_cast<void>(!::write(complaint, &why, sizeof why));
  ::_exit(127);
}

[[noreturn]] void throw_not_started(const std::string& word, int why) {
  throw UsageError(fmt::format("{} cannot be started: {}", word, strerrordesc_np(why)),
                   "after -- comes the command as you would type it in a shell");
}

}  // namespace

std::string program_of(const std::string& word) {
  if (word.find('/') != std::string::npos) {
    if (can_execute(word)) return word;
    throw_not_started(word, ::access(word.c_str(), F_OK) == 0 ? EACCES : ENOENT);
  }
  const std::string file = program_in_path(word);
  if (file.empty()) throw_not_started(word, ENOENT);
  return file;
}

void ignore_signals_of_writes() noexcept {
  struct sigaction ignore{};
  ignore.sa_handler = SIG_IGN;
  for (std::size_t i = 0; i < kOfWrites.size(); ++i)
    g_ignores[i] = ::sigaction(kOfWrites[i], &ignore, &g_before[i]) == 0;
}

ForegroundProcess::ForegroundProcess(std::vector<std::string> words,
                                     const std::vector<std::string>& environment,
                                     const ForegroundPlace& place) {
  std::vector<std::string> variables = merged_environment(environment);
  const std::vector<char*> argv = pointers(words), envp = pointers(variables);
  Pipe complaints = make_pipe();
  sigset_t all, mask;
  ::sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, &mask);
  pid_ = ::fork();
  if (pid_ == 0) become(argv.data(), envp.data(), place, complaints.write.get(), mask);
  ::sigprocmask(SIG_SETMASK, &mask, nullptr);
  if (pid_ < 0)
    throw PartError(fmt::format("cannot start {}: {}", words.front(), strerrordesc_np(errno)));
  if (const int why = complaint_of(complaints)) {
    ::waitpid(pid_, nullptr, 0);
    throw_not_started(words.front(), why);
  }
}

void ForegroundProcess::send_signal(int number) noexcept {
  if (!end_) ::kill(pid_, number);
}

std::optional<ChildEnd> ForegroundProcess::ended() {
  if (end_) return end_;
  int status = 0;
  if (::waitpid(pid_, &status, WNOHANG) != pid_) return std::nullopt;
  end_ = ChildEnd::from_status(status);
  return end_;
}

}  // namespace benchbench
