// Programs of the user's, by their names: where they are.
#pragma once
#include <string>
#include <string_view>

namespace benchbench {

// True where `path` is a file that this process may execute.
bool can_execute(const std::string& path);

// The program `name` in the first folder of PATH that has it, of /bin and /usr/bin where there is
// no PATH; "" where none has.
std::string program_in_path(std::string_view name);

// The python that an activated environment names (VIRTUAL_ENV), else the python3 of PATH; "" where
// there is neither.
std::string active_python();

}  // namespace benchbench
