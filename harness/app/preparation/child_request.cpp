#include "harness/app/preparation/child_request.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>

#include "harness/app/interrupt.h"
#include "harness/core/error.h"
#include "harness/process/framed_child.h"

namespace benchbench {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kLook{100};
constexpr std::chrono::seconds kChildPatience{4};

[[noreturn]] void rethrow(const std::string& payload) {
  const std::size_t first = payload.find('\n'), last = payload.rfind('\n');
  const auto kind = static_cast<ErrorKind>(std::atoi(payload.c_str()));
  throw Error(kind, std::string_view(payload).substr(first + 1, last - first - 1),
              std::string_view(payload).substr(last + 1));
}

[[noreturn]] void tell_death(FramedChild& child, std::string_view doing) {
  const std::string how = child.finish(kChildPatience);
  if (interrupted()) throw InterruptedError(fmt::format("interrupted while {}", doing));
  throw PartError(
      fmt::format("the process {} {}", doing, how.empty() ? "ended early" : as_predicate(how)));
}

// Its end is the destructor's.
[[noreturn]] void tell_hang(const std::string& how, std::string_view doing) {
  throw PartError(fmt::format("the process {} {}; it was killed", doing, how));
}

}  // namespace

void ask_child(const std::string& cache_folder, std::string_view kind, const std::string& payload,
               std::string_view doing, const std::function<void(const Frame&)>& on_frame,
               std::optional<Clock::time_point> deadline) {
  FramedChild child(kOwnProgram, {"child", "--cache", cache_folder});
  if (!child.send(kind, payload)) {
    if (const std::string how = child.why_given_up(); !how.empty()) tell_hang(how, doing);
    tell_death(child, doing);
  }
  std::optional<Clock::time_point> asked;
  for (;;) {
    Frame frame;
    const auto heard = child.receive(frame, kLook);
    if (heard == FramedChild::Heard::ended) tell_death(child, doing);
    if (heard == FramedChild::Heard::frame) {
      if (frame.kind == "done") break;
      if (frame.kind == "error") rethrow(frame.payload);
      on_frame(frame);
    }
    if (const std::string how = child.why_given_up(); !how.empty()) tell_hang(how, doing);
    if ((interrupted() || (deadline && Clock::now() >= *deadline)) && !asked) {
      asked = Clock::now();
      child.send("stop", "");
    }
    if (asked && Clock::now() - *asked > kChildPatience)
      throw InterruptedError(fmt::format("interrupted while {}", doing));
  }
  child.finish(kChildPatience);
}

}  // namespace benchbench
