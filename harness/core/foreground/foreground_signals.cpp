#include "harness/core/foreground/foreground_signals.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <algorithm>
#include <atomic>

namespace benchbench {
namespace {

constexpr int kHandedOn[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
constexpr auto kWitnessTime = std::chrono::milliseconds{200};  // for the witness to be given a core

std::atomic<int> g_note{-1};  // descriptor

struct Note {
  int number, sender, code;
};

void write_note(int to, const siginfo_t& info) {
  const Note note{info.si_signo, static_cast<int>(info.si_pid), info.si_code};
  // At most the pipe is full: there are thousands already.
  static_cast<void>(!::write(to, &note, sizeof note));
}

void on_signal(int, siginfo_t* info, void*) {
  const int before = errno;
  write_note(g_note.load(), *info);
  errno = before;
}

bool take(int number) {
  struct sigaction before{};
  if (::sigaction(number, nullptr, &before) != 0 || before.sa_handler == SIG_IGN) return false;
  struct sigaction action{};
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_SIGINFO;
  return ::sigaction(number, &action, nullptr) == 0;
}

sigset_t handed_on() {
  sigset_t set;
  ::sigemptyset(&set);
  for (const int number : kHandedOn) ::sigaddset(&set, number);
  return set;
}

// After fork, and of a program with one thread. It has no descriptor of ours, so that no reader
// waits for it.
[[noreturn]] void witness(int notes, int parent, const sigset_t& signals) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(0);
  if (::dup2(notes, 0) != 0) ::_exit(0);
  ::close_range(1, ~0u, 0);
  siginfo_t info;
  for (;;)
    if (::sigwaitinfo(&signals, &info) > 0) write_note(0, info);
}

void make_nonblocking(const Pipe& pipe) {
  for (const int fd : {pipe.read.get(), pipe.write.get()}) ::fcntl(fd, F_SETFL, O_NONBLOCK);
}

}  // namespace

ForegroundSignals::ForegroundSignals() : ours_(make_pipe()), groups_(make_pipe()) {
  make_nonblocking(ours_);
  make_nonblocking(groups_);
  const sigset_t signals = handed_on();
  sigset_t before;
  ::sigprocmask(SIG_BLOCK, &signals, &before);  // none is lost before the witness waits for them
  const int parent = ::getpid();
  witness_ = ::fork();
  if (witness_ == 0) witness(groups_.write.get(), parent, signals);
  groups_.write.close();
  g_note.store(ours_.write.get());
  for (const int number : kHandedOn)
    if (take(number)) taken_.push_back(number);
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
}

ForegroundSignals::~ForegroundSignals() {
  for (const int number : taken_) ::signal(number, SIG_DFL);
  g_note.store(-1);
  if (witness_ < 0) return;
  ::kill(witness_, SIGKILL);
  ::waitpid(witness_, nullptr, 0);
}

std::vector<ForegroundSignals::Came> ForegroundSignals::all_in(const Descriptor& pipe) {
  std::vector<Came> all;
  Note note;
  while (::read(pipe.get(), &note, sizeof note) == static_cast<ssize_t>(sizeof note))
    all.push_back({note.number, note.sender, note.code == SI_KERNEL});
  return all;
}

void ForegroundSignals::read() {
  const auto now = std::chrono::steady_clock::now();
  for (const Came& came : all_in(ours_.read))
    if (!came.from_kernel) pending_.push_back({came, now});  // else from the terminal, to the group
  for (const Came& came : all_in(groups_.read)) of_group_.push_back({came, now});
}

// Whichever of the two came first.
void ForegroundSignals::drop_those_of_the_group() {
  std::erase_if(pending_, [&](const Pending& ours) {
    const auto same = std::ranges::find_if(of_group_, [&](const Pending& each) {
      return each.came.number == ours.came.number && each.came.sender == ours.came.sender;
    });
    if (same == of_group_.end()) return false;
    of_group_.erase(same);
    return true;
  });
}

bool ForegroundSignals::any() {
  for (const Came& came : all_in(ours_.read))
    pending_.push_back({came, std::chrono::steady_clock::now()});
  return !pending_.empty();
}

void ForegroundSignals::hand_on(ForegroundProcess& command) {
  read();
  drop_those_of_the_group();
  const auto due = [before = std::chrono::steady_clock::now() - kWitnessTime](const Pending& each) {
    return each.at <= before;
  };
  for (const Pending& each : pending_)
    if (due(each)) command.send_signal(each.came.number);
  std::erase_if(pending_, due);
  std::erase_if(of_group_, due);
}

}  // namespace benchbench
