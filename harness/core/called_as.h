// The program by the name it was called by, for hints that can be pasted.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace benchbench {

// Once, at the start: $BENCHBENCH_CALLED_AS (scripts/benchbench sets it), else argv[0] as given.
// Children inherit it. The names of `commands` live as long as the program.
void note_call(const char* argv0, std::vector<std::string_view> commands);

// `text` as a shell takes it for one word: in quotes where it needs them.
std::string shell_word(std::string_view text);

// `text` with each "benchbench COMMAND" in it as the user would type it. All hints and helps go
// through here; where no call was noted nothing changes.
std::string as_called(std::string_view text);

}  // namespace benchbench
