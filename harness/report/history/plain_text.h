// Makes names of files and people's words fit for a history's lines.
#pragma once
#include <string>
#include <string_view>

namespace benchbench {

// Returns the text with '?' for what would move a terminal's cursor.
std::string plain(std::string_view text);

}  // namespace benchbench
