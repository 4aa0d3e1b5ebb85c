// Where the last lines that the user's code printed begin, below its traceback in an error's details.
#pragma once
#include <string_view>

namespace benchbench {

inline constexpr std::string_view kLastPrinted = "The last it printed:";

}  // namespace benchbench
