#include "harness/analysis/external/script_end.h"

#include <csignal>

namespace benchbench {

bool is_ended_by_us(WrapReason reason) noexcept {
  return reason != WrapReason::script_ended && reason != WrapReason::script_failed &&
         reason != WrapReason::lost && reason != WrapReason::internal;
}

bool is_planned_end(WrapReason reason) noexcept {
  return is_ended_by_us(reason) && reason != WrapReason::refused && reason != WrapReason::hangs;
}

bool is_of_itself(WrapReason reason) noexcept {
  return reason != WrapReason::stopped && reason != WrapReason::lost;
}

bool was_too_short(WrapReason reason) noexcept {
  return reason == WrapReason::script_ended || reason == WrapReason::budget_over ||
         reason == WrapReason::saver_called;
}

bool is_reported(WrapReason reason) noexcept {
  return reason != WrapReason::script_failed && reason != WrapReason::refused &&
         reason != WrapReason::internal;
}

CommandEnd end_of_command(const WrapEnd* end, const ChildEnd& script, bool answered) noexcept {
  if (end && end->reason == WrapReason::hangs) return CommandEnd::hung;
  const bool planned = end && is_planned_end(end->reason);
  const bool excused = planned && (answered || script.signal == SIGKILL);
  if (!script.good() && !excused) return CommandEnd::failed;
  return answered ? CommandEnd::answered : CommandEnd::no_answer;
}

}  // namespace benchbench
