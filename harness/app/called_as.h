// The program by the name it was called by, for hints that can be pasted.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "harness/app/command.h"

namespace benchbench {

// Once, at the start: $BENCHBENCH_CALLED_AS (scripts/benchbench sets it), else argv[0] as given. Children inherit it.
void note_call(const char* argv0, std::span<const Command* const> commands);

// `text` with each "benchbench COMMAND" in it as the user would type it. All hints and helps go through here; where no call was
// noted nothing changes.
std::string as_called(std::string_view text);

}  // namespace benchbench
