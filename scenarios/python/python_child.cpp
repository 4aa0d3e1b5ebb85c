#include "scenarios/python/python_child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include <cerrno>

#include "harness/core/printed_by_code.h"
#include "harness/core/process_mark.h"
#include "scenarios/python/answers.h"
#include "scenarios/python/interpreter.h"

namespace benchbench::python_part {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr int kSliceMs = 100;
constexpr milliseconds kSendPatience{5000};
constexpr milliseconds kGoodbyePatience{3000};
constexpr milliseconds kKillPatience{1000};
constexpr milliseconds kEndPatience{2000};  // from the end of its connection to its own end

Pipe socket_pair() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    throw PartError(
        fmt::format("cannot create a socket to the Python process: {}", strerrordesc_np(errno)));
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

Descriptor memory_file() {
  Descriptor file(::memfd_create("benchbench-batches", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!file)
    throw PartError(
        fmt::format("cannot create a memory file for batches: {}", strerrordesc_np(errno)));
  ::fcntl(file.get(), F_ADD_SEALS, F_SEAL_SHRINK);  // a shorter one would kill us as we read it
  return file;
}

std::string indented(std::string_view lines) {
  std::string out = "  ";
  for (const char c : lines) out += c == '\n' ? std::string("\n  ") : std::string(1, c);
  return out;
}

std::string seconds_of(Nanoseconds time) { return fmt::format("{:g} s", to_seconds(time)); }

}  // namespace

PythonChild::PythonChild(const PythonStart& start, const Patience& patience)
    : PythonChild(start, patience, make_pipe(), socket_pair()) {}

// Its own ends close with `output` and `sockets`.
PythonChild::PythonChild(const PythonStart& start, const Patience& patience, Pipe output,
                         Pipe sockets)
    : mark_(new_process_mark()),
      runtime_(make_real_runtime(Nanoseconds{0})),
      memory_(memory_file()),
      socket_(std::move(sockets.read)),
      sending_(*runtime_),
      started_(Clock::now()),
      process_(wired(start, output.write.get(), sockets.write.get())),
      pid_(process_.pid()) {
  output.write.close();
  sockets.write.close();
  try {
    output_ = std::make_unique<OutputTail>(std::move(output.read), *runtime_);
    hear_hello(start, patience);
  } catch (...) {
    kill_marked(mark_, kKillPatience);
    throw;
  }
}

ChildStart PythonChild::wired(const PythonStart& start, int output, int socket) const {
  return {.program = start.interpreter,
          .arguments = {start.script},
          .environment = {mark_},
          .descriptors = {
              {0, ChildStart::kNull}, {1, output}, {2, output}, {3, socket}, {4, memory_.get()}}};
}

PythonChild::~PythonChild() {
  if (idle_) say_goodbye();
  kill_marked(mark_, kKillPatience);
}

void PythonChild::say_goodbye() noexcept try {
  send({{"type", "stop"}});
  const auto until = Clock::now() + kGoodbyePatience;
  Message unread;
  while (!closed_ && Clock::now() < until) hear(unread, kSliceMs);
  process_.wait_until(until);
} catch (const std::exception&) {  // it is killed instead
}

void PythonChild::hear_hello(const PythonStart& start, const Patience& patience) {
  const Message hello = await_message("was starting", patience);
  read_from(hello, [&](const Json& body) {
    if (hello.type != "hello")
      throw_nonsense(fmt::format("\"{}\" instead of \"hello\"", hello.type));
    if (const int theirs = whole<int>(body.at("protocol")); theirs != kProtocol)
      throw PartError(fmt::format("'{}' speaks protocol {}, and this program {}", start.script,
                                  theirs, kProtocol),
                      "keep the program and its folder python/ together");
    interpreter_ = text_in(body, "executable");
    pid_ = member_or<int>(body, "pid", pid_);
  });
  if (interpreter_.empty()) interpreter_ = start.interpreter;
  spawn_time_ = Clock::now() - started_;
  idle_ = true;
}

void PythonChild::send(const Json& message) {
  const std::string whole = encoded(message);
  std::string_view rest = whole;
  const auto until = Clock::now() + kSendPatience;
  const Guard guard(sending_);
  while (!rest.empty()) {
    const ssize_t n = ::send(socket_.get(), rest.data(), rest.size(), MSG_NOSIGNAL);
    if (n > 0) rest.remove_prefix(static_cast<std::size_t>(n));
    if (n >= 0 || errno == EINTR) continue;
    if (errno != EAGAIN) return;  // it has ended: receive() says how
    if (Clock::now() > until)
      throw PartError(
          fmt::format("the Python process heard nothing for {}", seconds_of(kSendPatience)));
    pollfd room{socket_.get(), POLLOUT, 0};
    ::poll(&room, 1, kSliceMs);
  }
}

PythonChild::Heard PythonChild::hear(Message& message, int milliseconds) {
  for (;;) {
    if (auto next = reader_.next()) {
      message = std::move(*next);
      return Heard::message;
    }
    if (closed_) return Heard::ended;
    pollfd heard{socket_.get(), POLLIN, 0};
    if (::poll(&heard, 1, milliseconds) <= 0) return Heard::nothing;
    char bytes[65536];
    const ssize_t n = ::recv(socket_.get(), bytes, sizeof bytes, 0);
    if (n > 0)
      reader_.feed({bytes, static_cast<std::size_t>(n)});
    else if (n == 0 || (errno != EINTR && errno != EAGAIN))
      closed_ = true;
  }
}

Message PythonChild::await_message(std::string_view doing, const Patience& patience) {
  Message message;
  for (auto last = Clock::now();;) {
    // Before the last look: what it said is not lost.
    const bool dead = process_.wait_until(Clock::now()).has_value();
    switch (hear(message, dead ? 0 : kSliceMs)) {
      case Heard::message:
        return message;
      case Heard::ended:
        throw_ended(doing);
      case Heard::nothing:
        break;
    }
    if (dead) throw_ended(doing);  // where one of its workers keeps the socket open
    if (patience.look) patience.look();
    if (patience.silence.count() > 0 && Clock::now() - last > patience.silence)
      throw_silent(doing, patience.silence);
  }
}

void PythonChild::throw_silent(std::string_view doing, Nanoseconds silence) {
  PartError error(
      fmt::format("the Python process {} and said nothing for {}", doing, seconds_of(silence)),
      "raise measure.timeout if it needs longer, as a first step may that compiles or chooses "
      "kernels");
  add_output(error);
  throw error;
}

Message PythonChild::receive(std::string_view doing, const Patience& patience) {
  idle_ = false;
  try {
    Message message = await_message(doing, patience);
    if (message.type == "error") throw_failure(message);
    return message;
  } catch (Error& error) {
    if (error.kind() == ErrorKind::part && error.details().empty()) add_output(error);
    throw;
  }
}

Message PythonChild::ask(const Json& request, std::string_view answer, std::string_view doing,
                         const Patience& patience) {
  idle_ = false;
  send(request);
  for (;;) {
    Message message = receive(doing, patience);
    if (message.type == "progress") continue;
    if (message.type != answer)
      throw_nonsense(fmt::format("\"{}\" instead of \"{}\"", message.type, answer));
    return message;
  }
}

std::string PythonChild::how_it_ended(const std::optional<ChildEnd>& end) const {
  std::string how = "closed its connection";
  if (end && end->signal)
    how = "was " + end->text();
  else if (end)
    how = fmt::format("exited with status {}", end->status);
  if (reader_.in_the_middle()) how += ", in the middle of a message";
  return how;
}

void PythonChild::throw_ended(std::string_view doing) {
  const auto end = process_.wait_until(Clock::now() + kEndPatience);
  output_->stop();  // all that it wrote before
  const std::string how = how_it_ended(end);
  const bool no_python = interpreter_.empty() && end && !end->signal;
  const std::string text = no_python
                               ? fmt::format("the Python interpreter {} before it answered", how)
                               : fmt::format("the Python process {} (it {})", how, doing);
  PartError died(text);
  ScenarioError unusable(
      text,
      "it must be CPython 3.8 or newer; set `python` of the loader or the trainer to another");
  add_output(died);
  add_output(unusable);
  if (no_python) throw unusable;
  throw died;
}

void PythonChild::throw_failure(const Message& error) {
  idle_ = true;  // it answered, and hears the next request
  std::string kind, text, hint, traceback;
  read_from(error, [&](const Json& body) {
    kind = body.at("kind").get<std::string>();
    text = body.at("message").get<std::string>();
    hint = text_in(body, "hint");
    traceback = text_in(body, "traceback");
    const std::string where = text_in(body, "where");
    if (!where.empty() && text.find(where) == std::string::npos) text = where + ": " + text;
  });
  const auto detailed = [&](auto made) {
    made.set_details(traceback);
    if (kind != "scenario") add_output(made);
    return made;
  };
  if (kind == "scenario") throw detailed(ScenarioError(text, hint));
  if (kind == "lack")
    throw detailed(DeviceError(text.starts_with("needs ") ? text : "needs " + text, hint));
  if (kind == "user") throw detailed(PartError(text, hint));
  throw detailed(PartError("benchbench's side of the Python process failed: " + text,
                           "this is a defect of benchbench: please report it"));
}

void PythonChild::add_output(Error& error) {
  const std::string lines = output_ ? output_->last_lines(kShownLines) : "";
  if (lines.empty()) return;
  const std::string before(error.details());
  error.set_details(before + (before.empty() ? "" : "\n") + std::string(kLastPrinted) + "\n" +
                    indented(lines));
}

std::unique_ptr<PythonChild> start_child(const std::string& interpreter, const Patience& patience,
                                         ExternalFacts& facts) {
  auto child = std::make_unique<PythonChild>(PythonStart{interpreter, child_script()}, patience);
  facts.interpreter = child->interpreter();
  facts.spawn_ns = child->spawn_time().count();
  return child;
}

void load_code(PythonChild& child, const Json& request, const Patience& patience,
               ExternalFacts& facts) {
  note_loaded(child.ask(request, "loaded", "was loading the user's code", patience), facts);
}

}  // namespace benchbench::python_part
