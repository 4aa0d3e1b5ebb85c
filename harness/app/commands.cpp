#include "harness/app/command.h"

namespace benchbench {

// BENCHBENCH_COMMANDS is COMMAND(run) COMMAND(wrap) ..., from CMakeLists.txt.
#define COMMAND(name) extern const Command name##_command;
BENCHBENCH_COMMANDS
#undef COMMAND

std::span<const Command* const> commands() noexcept {
#define COMMAND(name) &name##_command,
  static constexpr const Command* kCommands[] = {BENCHBENCH_COMMANDS};
#undef COMMAND
  return kCommands;
}

}  // namespace benchbench
