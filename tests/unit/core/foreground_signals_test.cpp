#include "harness/core/foreground/foreground_signals.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <functional>

#include "tests/scratch_folder.h"

namespace benchbench {
namespace foreground_signals_test {

std::string content(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

void pause() { ::poll(nullptr, 0, 10); }

// A program of its own in a process group of its own, as a shell starts one, that runs `script` in
// its foreground.
class Program {
 public:
  explicit Program(const std::string& script, const std::function<void()>& before = [] {}) {
    pid_ = ::fork();
    if (pid_ == 0) {
      ::setpgid(0, 0);
      // Under nohup, or in a script's background, some are ignored.
      for (const int number : {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1})
        ::signal(number, SIG_DFL);
      before();
      run(script);
    }
  }
  ~Program() {
    ::kill(-pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  int pid() const { return pid_; }
  int status() {
    int status = 0;
    ::waitpid(pid_, &status, 0);
    return status;
  }

 private:
  [[noreturn]] static void run(const std::string& script) {
    std::optional<ChildEnd> end;
    {
      ForegroundSignals signals;
      ForegroundProcess command({"/bin/sh", "-c", script}, {});
      while (!(end = command.ended())) {
        signals.hand_on(command);
        pause();
      }
    }
    ::_exit(end->signal ? 128 + end->signal : end->status);
  }
  int pid_ = -1;
};

// Notes each signal in `log`, and ends with SIGUSR2.
std::string noting(const std::string& folder) {
  return "exec 2>/dev/null; for s in INT QUIT TERM HUP USR1; do trap \"echo $s >> " + folder +
         "/log\" $s; done; trap 'exit 9' USR2; : > " + folder +
         "/ready; while :; do sleep 0.01; done";
}

struct Folder {
  const std::string path = test::make_scratch_folder("signals");
  ~Folder() { std::filesystem::remove_all(path); }
  void await(const std::string& name) const {
    while (!std::filesystem::exists(path + "/" + name)) pause();
  }
};

TEST_CASE("foreground signals: one that is sent to us alone reaches the command, once",
          "[unit][core]") {
  const Folder folder;
  Program program(noting(folder.path));
  folder.await("ready");
  std::string wanted;
  for (const auto& [number, name] : std::vector<std::pair<int, std::string>>{{SIGINT, "INT"},
                                                                             {SIGQUIT, "QUIT"},
                                                                             {SIGTERM, "TERM"},
                                                                             {SIGHUP, "HUP"},
                                                                             {SIGUSR1, "USR1"}}) {
    ::kill(program.pid(), number);
    wanted += name + "\n";
    while (content(folder.path + "/log").size() < wanted.size()) pause();
    CHECK(content(folder.path + "/log") == wanted);
  }
  ::kill(program.pid(), SIGUSR2);
  CHECK(WEXITSTATUS(program.status()) == 9);
  CHECK(content(folder.path + "/log") == wanted);
}

TEST_CASE("foreground signals: one that is sent to the group reaches the command once",
          "[unit][core]") {
  const Folder folder;
  Program program(noting(folder.path));
  folder.await("ready");
  ::kill(-program.pid(), SIGTERM);
  while (content(folder.path + "/log").empty()) pause();
  ::kill(program.pid(), SIGHUP);  // handed on after a second SIGTERM would have been
  while (content(folder.path + "/log").size() < std::string("TERM\nHUP\n").size()) pause();
  ::kill(program.pid(), SIGUSR2);
  CHECK(WEXITSTATUS(program.status()) == 9);
  CHECK(content(folder.path + "/log") == "TERM\nHUP\n");
}

TEST_CASE("foreground signals: what the caller ignores is ignored by the command too",
          "[unit][core]") {
  const Folder folder;
  Program program("kill -HUP $$; echo lives > " + folder.path + "/log; exit 4",
                  [] { ::signal(SIGHUP, SIG_IGN); });
  CHECK(WEXITSTATUS(program.status()) == 4);
  CHECK(content(folder.path + "/log") == "lives\n");
  Program other("kill -HUP $$; exit 4");
  CHECK(WEXITSTATUS(other.status()) == 128 + SIGHUP);
}

}  // namespace foreground_signals_test
}  // namespace benchbench
