#include "harness/process/framed_child.h"

#include <poll.h>

#include <cerrno>

namespace benchbench {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int kReplyDescriptor = 3;

ChildStart wired(ChildStart start, const Pipe& control, const Pipe& reply) {
  start.descriptors = {{STDIN_FILENO, control.read.get()},
                       {STDOUT_FILENO, STDERR_FILENO},
                       {kReplyDescriptor, reply.write.get()}};
  return start;
}

}  // namespace

FramedChild::FramedChild(const std::string& program, const std::vector<std::string>& arguments,
                         const std::vector<std::string>& environment)
    : FramedChild({program, arguments, environment, {}}, make_pipe(), make_pipe()) {}

// The child's ends close with `control` and `reply`.
FramedChild::FramedChild(ChildStart start, Pipe control, Pipe reply)
    : control_(std::move(control.write)),
      reply_(std::move(reply.read)),
      child_(wired(std::move(start), control, reply)) {}

bool FramedChild::send(std::string_view kind, std::string_view payload) {
  return control_.get() >= 0 && write_frame(control_.get(), kind, payload);
}

FramedChild::Heard FramedChild::receive(Frame& frame, std::chrono::milliseconds patience) {
  for (;;) {
    if (auto next = reader_.next()) {
      frame = std::move(*next);
      return Heard::frame;
    }
    if (closed_) return Heard::ended;
    pollfd p{reply_.get(), POLLIN, 0};
    const int ready = ::poll(&p, 1, static_cast<int>(patience.count()));
    if (ready <= 0) return Heard::nothing;  // time out, or a signal: the caller looks at its stop flag
    char bytes[65536];
    const ssize_t n = ::read(reply_.get(), bytes, sizeof bytes);
    if (n > 0)
      reader_.feed({bytes, static_cast<std::size_t>(n)});
    else if (n == 0 || errno != EINTR)
      closed_ = true;
  }
}

std::string FramedChild::finish(std::chrono::milliseconds patience) {
  control_.close();
  const auto until = Clock::now() + patience;
  Frame unread;
  while (!closed_ && Clock::now() < until) receive(unread, std::chrono::milliseconds{100});
  if (const auto end = child_.wait_until(until)) return end->text();
  kill_group();
  child_.await_end();
  return "did not exit and was killed";
}

}  // namespace benchbench
