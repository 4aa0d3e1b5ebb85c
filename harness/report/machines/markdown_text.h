// Text that is safe within Markdown, and a page that fits where it is shown.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace benchbench {

// What GitHub takes as the summary of one step of a job.
inline constexpr std::size_t kMarkdownBytes = std::size_t{1} << 20;

// As it reads, in one line: what Markdown, its tables or HTML would take for markup is escaped, a
// line break is a space, and control characters and bytes that are no UTF-8 are shown as visible()
// shows them.
std::string escaped_markdown(std::string_view text);

// At most `most` bytes (1,000 at least): a longer page ends behind a whole line, with a code block
// that is open closed, and a line that says how many lines are left out. No character is cut.
std::string bounded_markdown(const std::string& page, std::size_t most);

}  // namespace benchbench
