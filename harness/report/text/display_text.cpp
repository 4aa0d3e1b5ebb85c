#include "harness/report/text/display_text.h"

#include <algorithm>
#include <cstdint>

#include "harness/core/visible_text.h"

namespace benchbench {
namespace {

struct CodePoint {
  std::uint32_t value;
  std::size_t bytes;
};

// The character at `at`; a byte that starts none counts as one character of one byte.
CodePoint decode(std::string_view text, std::size_t at) noexcept {
  const auto lead = static_cast<unsigned char>(text[at]);
  const std::size_t bytes = lead < 0x80         ? 1
                            : lead >> 5 == 0x6  ? 2
                            : lead >> 4 == 0xe  ? 3
                            : lead >> 3 == 0x1e ? 4
                                                : 1;
  if (bytes == 1 || at + bytes > text.size()) return {lead, 1};
  std::uint32_t value = lead & (0xffu >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i)
    value = value << 6 | (static_cast<unsigned char>(text[at + i]) & 0x3fu);
  return {value, bytes};
}

struct Range {
  std::uint32_t first, last;
};
bool within(std::uint32_t c, const Range* begin, const Range* end) noexcept {
  return std::any_of(begin, end, [c](Range r) { return r.first <= c && c <= r.last; });
}

// Blocks of UAX #11 and the combining marks of the Basic Multilingual Plane: enough for names of
// files and settings.
std::size_t width_of(std::uint32_t c) noexcept {
  constexpr Range none[] = {{0x300, 0x36f},   {0x483, 0x489},   {0x591, 0x5bd},   {0x610, 0x61a},
                            {0x64b, 0x65f},   {0x1ab0, 0x1aff}, {0x1dc0, 0x1dff}, {0x200b, 0x200f},
                            {0x20d0, 0x20ff}, {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}};
  constexpr Range wide[] = {{0x1100, 0x115f},   {0x2e80, 0x303e},  {0x3041, 0xa4cf},
                            {0xac00, 0xd7a3},   {0xf900, 0xfaff},  {0xfe30, 0xfe6f},
                            {0xff00, 0xff60},   {0xffe0, 0xffe6},  {0x1f300, 0x1f64f},
                            {0x1f900, 0x1f9ff}, {0x20000, 0x3fffd}};
  if (c < 0x300) return 1;
  if (within(c, std::begin(none), std::end(none))) return 0;
  return within(c, std::begin(wide), std::end(wide)) ? 2 : 1;
}

// Bytes of `word` that fit into `room` columns, at least one character. It ends behind a mark of a
// path or a list where one stands in the second half.
std::size_t fitting_bytes(std::string_view word, std::size_t room) noexcept {
  std::size_t used = 0, at = 0, marked = 0;
  while (at < word.size()) {
    const CodePoint c = decode(word, at);
    if (at > 0 && used + width_of(c.value) > room) break;
    used += width_of(c.value);
    at += c.bytes;
    if (std::string_view("/,;=").find(word[at - 1]) != std::string_view::npos && used > room / 2)
      marked = at;
  }
  return marked > 0 && at < word.size() ? marked : at;
}

bool is_space(char c) noexcept { return c == ' ' || c == '\n' || c == '\t'; }

// The next word of `text`, taken off it. A number keeps its "%", a name its "*".
std::string_view next_word(std::string_view& text) noexcept {
  const auto space_from = [text](std::size_t from) {
    while (from < text.size() && !is_space(text[from])) ++from;
    return from;
  };
  std::size_t space = space_from(0);
  if (const std::string_view after = text.substr(std::min(space + 1, text.size()));
      after.starts_with('%') || after == "*")
    space = space_from(space + 1);
  const std::string_view word = text.substr(0, space);
  text.remove_prefix(std::min(space + 1, text.size()));
  return word;
}

// Where the further lines of `line` start.
std::size_t hanging_indent(std::string_view line, std::size_t lead, std::size_t width) {
  std::size_t indent = std::min(lead + 2, width / 2);
  for (std::size_t at = lead + 2;
       at < line.size() && display_width(line.substr(0, at)) <= width * 3 / 5; ++at)
    if (line[at - 2] == ' ' && line[at - 1] == ' ' && line[at] != ' ')
      indent = display_width(line.substr(0, at));
  return indent;
}

}  // namespace

std::size_t display_width(std::string_view text) noexcept {
  std::size_t width = 0;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint c = decode(text, at);
    width += width_of(c.value);
    at += c.bytes;
  }
  return width;
}

std::string cut_to_width(std::string_view given, std::size_t width) {
  const std::string text = visible(given);
  if (display_width(text) <= width) return text;
  if (width == 0) return {};
  std::size_t used = 0, at = 0;
  while (at < text.size()) {
    const CodePoint c = decode(text, at);
    if (used + width_of(c.value) > width - 1) break;
    used += width_of(c.value);
    at += c.bytes;
  }
  return text.substr(0, at) + "…";
}

std::string wrapped(std::string_view given, std::size_t width, std::size_t indent,
                    std::size_t started) {
  const std::string shown = visible_lines(given);
  std::string_view text = shown;
  std::string out;
  std::size_t column = started;
  const auto break_line = [&] {
    out += '\n' + std::string(indent, ' ');
    column = indent;
  };
  while (!text.empty()) {
    std::string_view word = next_word(text);
    if (!out.empty() && column + 1 + display_width(word) > width) {
      break_line();
    } else if (!out.empty()) {
      out += ' ';
      ++column;
    }
    while (column + display_width(word) > width) {
      const std::size_t bytes = fitting_bytes(word, width > column ? width - column : 1);
      if (bytes == word.size()) break;
      out += word.substr(0, bytes);
      word.remove_prefix(bytes);
      break_line();
    }
    out += word;
    column += display_width(word);
  }
  return out;
}

std::string fitted(std::string_view text, std::size_t width) {
  std::string out;
  bool first = true;
  for (const std::string& line : split_lines(visible_lines(text))) {
    if (!first) out += '\n';
    first = false;
    if (display_width(line) <= width) {
      out += line;
      continue;
    }
    const std::size_t lead = std::min(line.find_first_not_of(' '), width / 2);
    out +=
        std::string(lead, ' ') + wrapped(std::string_view(line).substr(line.find_first_not_of(' ')),
                                         width, hanging_indent(line, lead, width), lead);
  }
  return out;
}

std::vector<std::string> split_lines(std::string_view text) {
  std::vector<std::string> lines;
  while (true) {
    const std::size_t end = text.find('\n');
    lines.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return lines;
    text.remove_prefix(end + 1);
  }
}

}  // namespace benchbench
