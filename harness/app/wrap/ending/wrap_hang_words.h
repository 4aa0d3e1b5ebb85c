// Words for a script that is waited for, and for one that hangs. Pure.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "harness/app/wrap/wrap_clock.h"
#include "harness/part/wrapped.h"

namespace benchbench {

// Returns the line that is printed each 20 s. `processes`: that have imported torch; `phase`: as
// one of them said it last.
std::string waiting_words(const std::string& script, const WrapClock& clock, std::size_t processes,
                          const std::string& phase, bool measures);

struct HangSeen {
  Nanoseconds silent{0};  // of a script past its budget: since it was asked to end
  std::vector<WrapStacks> stacks;
  std::map<int, std::string> waits;  // of each process that was asked: what the kernel says
  std::string end;                   // what becomes of it
  bool past_budget = false;
  Nanoseconds last_sign{0};   // its last message or CPU time, since the command's start
  Nanoseconds said_after{0};  // from that to the first line that says so
};
// Returns the user's innermost call; null: the thread is in none.
const WrapFrame* find_users(const WrapThread& thread);
std::string hang_words(const std::string& script, const HangSeen& seen);

}  // namespace benchbench
