// The end of a wrapped script, as it counts for its answer, the other ranks and the command. Pure.
#pragma once
#include <cstdint>

#include "harness/core/child_process.h"
#include "harness/part/wrapped.h"

namespace benchbench {

bool is_ended_by_us(WrapReason reason) noexcept;
// True if it was ended as planned: what its launcher makes of that is no failure of the script.
bool is_planned_end(WrapReason reason) noexcept;
// False of a rank that was stopped with another one: its collective fails, or its launcher kills
// it.
bool is_of_itself(WrapReason reason) noexcept;
// True if there may be no answer for want of time, or of steps.
bool was_too_short(WrapReason reason) noexcept;
// False of a script that failed or cannot be measured, which has said why. One that was killed has
// not.
bool is_reported(WrapReason reason) noexcept;

enum class CommandEnd : std::uint8_t {
  hung,       // with an answer or without
  failed,     // by itself: its own exit code stands
  answered,   // there is something to report
  no_answer,  // it ended before
};
// `end`: null where no process of the command said one.
CommandEnd end_of_command(const WrapEnd* end, const ChildEnd& script, bool answered) noexcept;

}  // namespace benchbench
