#include "harness/process/control_listener.h"

#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "harness/core/process_tree.h"

namespace benchbench {
namespace {

constexpr std::chrono::milliseconds kLastPatience{1000};
constexpr int kUnheard = 5;  // exit code, as where a file cannot be read

}  // namespace

// Returns false where the pipe failed before its end.
bool ControlListener::hear_all() {
  FrameReader reader;
  char bytes[65536];
  for (;;) {
    const ssize_t n = ::read(STDIN_FILENO, bytes, sizeof bytes);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return n == 0;
    reader.feed({bytes, static_cast<std::size_t>(n)});
    while (auto frame = reader.next()) {
      if (frame->kind == "stop")
        stop_.store(true);
      else
        deliver(std::move(*frame));
    }
  }
}

void ControlListener::run() {
  const bool failed = !hear_all();
  if (failed)
    std::fprintf(stderr, "benchbench: what the supervisor says cannot be read: %s\n",
                 std::strerror(errno));
  // A trial that ended for this would be taken for one that the user stopped.
  if (failed && !busy_.load()) ::_exit(kUnheard);
  stop_.store(true);   // of what is about to begin
  if (busy_.load()) {  // no one is left to take the record
    end_descendants(kLastPatience);
    ::kill(0, SIGKILL);
  }
  close();
}

void ControlListener::deliver(Frame frame) {
  Guard guard(lock_);
  frames_.push_back(std::move(frame));
  arrived_.wake_one(runtime_);
}

void ControlListener::close() {
  Guard guard(lock_);
  closed_ = true;
  arrived_.wake_all(runtime_);
}

std::optional<Frame> ControlListener::next() {
  Guard guard(lock_);
  while (frames_.empty() && !closed_) arrived_.wait(guard, runtime_);
  if (frames_.empty()) return std::nullopt;
  Frame frame = std::move(frames_.front());
  frames_.pop_front();
  return frame;
}

}  // namespace benchbench
