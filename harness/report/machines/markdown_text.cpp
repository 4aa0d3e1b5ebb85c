#include "harness/report/machines/markdown_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/units.h"
#include "harness/core/visible_text.h"
#include "harness/report/machines/clean_text.h"

namespace benchbench {
namespace {

constexpr std::size_t kLastWords = 300;  // room for the line that says what is left out

// Of no locale.
bool is_alphanumeric(char c) noexcept {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool in_word(std::string_view text, std::size_t at) noexcept {
  const auto of_word = [&](std::size_t i) {
    return i < text.size() &&
           (is_alphanumeric(text[i]) || static_cast<unsigned char>(text[i]) >= 0x80);
  };
  return at > 0 && of_word(at - 1) && of_word(at + 1);
}

// A heading, a list or a quotation only begins a line.
bool is_markup(std::string_view text, std::size_t at) noexcept {
  const char c = text[at];
  if (c == '_') return !in_word(text, at);
  if (at == 0 && text.size() > 1 && std::string_view("#+-=").find(c) != std::string_view::npos)
    return true;
  return std::string_view("\\|*`<>[]&~$").find(c) != std::string_view::npos;
}

// The fence that is open at the end of `text`; empty where none is.
std::string open_fence(std::string_view text) {
  std::string open;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    const std::string_view code = line.substr(std::min(line.find_first_not_of(' '), line.size()));
    const std::string_view fence =
        code.substr(0, std::min(code.find_first_not_of('`'), code.size()));
    if (open.empty() && fence.size() >= 3)
      open = fence;
    else if (!open.empty() && fence.size() >= open.size() && fence == code)
      open.clear();
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  return open;
}

}  // namespace

std::string escaped_markdown(std::string_view given) {
  const std::string text = visible_lines(given);
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (is_markup(text, at)) out += '\\';
    out += text[at] == '\n' || text[at] == '\t' ? ' ' : text[at];
  }
  return out;
}

std::string bounded_markdown(const std::string& page, std::size_t most) {
  if (page.size() <= most) return page;
  const std::size_t room = whole_characters(page, most - kLastWords);
  const std::size_t line_end = page.rfind('\n', room);
  // One line alone may be longer than the page: it is cut.
  std::string kept =
      page.substr(0, line_end == std::string::npos || line_end == 0 ? room : line_end + 1);
  const auto left = static_cast<std::size_t>(std::ranges::count(
      page.begin() + static_cast<std::ptrdiff_t>(kept.size()), page.end(), '\n'));
  const std::string fence = open_fence(kept);
  if (!kept.ends_with('\n')) kept += '\n';
  if (!fence.empty()) kept += "  " + fence + '\n';
  return kept + fmt::format(
                    "\n{} left out: this page holds {} at most; --csv and --json have all of it.\n",
                    counted(left, "more line"), human_bytes(static_cast<double>(most)));
}

}  // namespace benchbench
