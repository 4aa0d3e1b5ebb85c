#include "harness/process/framed_child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "harness/core/process_tree.h"
#include "harness/core/units.h"

namespace benchbench {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int kReplyDescriptor = 3;
constexpr int kLookMs = 100;
// Between two looks; what is longer was this process's own rest.
constexpr std::chrono::milliseconds kLongestLook{250};

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
      child_(wired(std::move(start), control, reply)),
      looked_(Clock::now()) {
  ::fcntl(control_.get(), F_SETFL, O_NONBLOCK);
}

// A full pipe is waited for, but not for ever.
bool FramedChild::send(std::string_view kind, std::string_view payload) {
  const std::string whole = frame_text(kind, payload);
  const auto until = Clock::now() + kSendPatience;
  if (!control_) return false;
  for (std::string_view rest = whole; !rest.empty();) {
    const ssize_t n = ::write(control_.get(), rest.data(), rest.size());
    if (n > 0) rest.remove_prefix(static_cast<std::size_t>(n));
    if (n > 0 || (n < 0 && errno == EINTR)) continue;
    if (errno != EAGAIN) return false;
    choked_ = Clock::now() >= until;
    if (choked_) return false;
    pollfd p{control_.get(), POLLOUT, 0};
    ::poll(&p, 1, kLookMs);
  }
  return true;
}

std::string FramedChild::why_given_up() {
  if (choked_)
    return fmt::format("did not read what it was sent for {}", human_duration(kSendPatience));
  const auto now = Clock::now();
  const auto passed = std::min<Clock::duration>(now - std::exchange(looked_, now), kLongestLook);
  silent_ += passed;
  const auto seen = see_process(child_.pid());
  stopped_ = seen && seen->state == 'T' ? stopped_ + passed : Clock::duration{};
  if (stopped_ >= kStoppedPatience)
    return fmt::format("was stopped by a signal and did not go on within {}",
                       human_duration(kStoppedPatience));
  if (silent_ >= kSilencePatience)
    return fmt::format("said nothing for {}", human_duration(kSilencePatience));
  return "";
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
    // Time out, or a signal: the caller looks at its stop flag.
    if (ready <= 0) return Heard::nothing;
    read_reply();
  }
}

void FramedChild::read_reply() {
  char bytes[65536];
  const ssize_t n = ::read(reply_.get(), bytes, sizeof bytes);
  if (n > 0)
    reader_.feed({bytes, static_cast<std::size_t>(n)});
  else if (n == 0 || errno != EINTR)
    closed_ = true;
  silent_ = {};
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

std::string as_predicate(const std::string& how) {
  return how.starts_with("killed") ? "was " + how : how;
}

}  // namespace benchbench
