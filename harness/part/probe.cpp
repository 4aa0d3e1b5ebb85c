// The throw-away child that loads a module first, so that one that crashes or hangs at load costs
// nothing.
#include <fmt/format.h>
#include <poll.h>

#include <chrono>

#include "harness/core/child_process.h"
#include "harness/core/error.h"
#include "harness/part/child_probe.h"
#include "harness/part/module.h"

namespace benchbench {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t kMaxWords = 64 * 1024;

// What comes through the pipe until its end; false where the time ran out first. Waits by poll, for
// a process, not for a thread of ours.
bool listen(int pipe, Clock::time_point deadline, std::string& words) {
  char buffer[4096];
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return false;
    pollfd wanted{pipe, POLLIN, 0};
    const int ready = poll(&wanted, 1, static_cast<int>(left));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return ready < 0;
    const ssize_t n = read(pipe, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return true;
    if (words.size() < kMaxWords) words.append(buffer, static_cast<std::size_t>(n));
  }
}

ChildStart make_start(const std::vector<std::string>& arguments, int input, const Pipe& errors) {
  return {.program = arguments.front(),
          .arguments = {arguments.begin() + 1, arguments.end()},
          .environment = {},
          .descriptors = {{0, input}, {1, ChildStart::kNull}, {2, errors.write.get()}}};
}

std::string reason_of(const ChildEnd& end, const std::string& words) {
  if (end.signal) return fmt::format("it crashed when loaded ({})", signal_name(end.signal));
  if (end.good()) return {};
  std::string line = words.substr(0, words.find('\n'));
  return line.empty() ? fmt::format("exit status {}", end.status) : line;
}

}  // namespace

ChildAnswer answer_of_child(const std::vector<std::string>& arguments, Nanoseconds limit) try {
  Pipe errors = make_pipe();
  ChildProcess child(make_start(arguments, ChildStart::kNull, errors));
  errors.write.close();
  std::string words;
  // The pipe ends with the child and with whoever else holds its error stream: no end in time means
  // a kill for all.
  if (!listen(errors.read.get(), Clock::now() + limit, words))
    return {fmt::format("no answer within {}", duration_text(limit)), words};
  std::string why = reason_of(child.await_end(), words);
  return {std::move(why), std::move(words)};
} catch (const PartError& e) {
  return {e.what(), {}};
}

StayingChild::StayingChild(const std::vector<std::string>& arguments, std::string_view mark,
                           Nanoseconds limit)
    : input_(make_pipe()) {
  try {  // here: a handler of the whole constructor throws again
    start(arguments, mark, limit);
  } catch (const PartError& e) {
    answer_.why = e.what();
  }
}

void StayingChild::start(const std::vector<std::string>& arguments, std::string_view mark,
                         Nanoseconds limit) {
  Pipe errors = make_pipe();
  child_ = std::make_unique<ChildProcess>(make_start(arguments, input_.read.get(), errors));
  errors.write.close();
  input_.read.close();
  const auto deadline = Clock::now() + limit;
  const bool closed = listen(errors.read.get(), deadline, answer_.words);
  if (closed && answer_.words.find(mark) != std::string::npos) return;
  if (const auto end = closed ? child_->wait_until(deadline) : std::nullopt)
    answer_.why = reason_of(*end, answer_.words);
  else
    answer_.why = fmt::format("no answer within {}", duration_text(limit));
  child_.reset();
}

std::string ask_child(const std::vector<std::string>& arguments, Nanoseconds limit) {
  return answer_of_child(arguments, limit).why;
}

// Two minutes: torch's libraries for CUDA are over 2 GB, which a disk on a network may read first.
std::string probe_module(std::string_view name) {
  return ask_child({kOwnProgram, "probe-module", std::string(name)}, std::chrono::minutes{2});
}

}  // namespace benchbench
