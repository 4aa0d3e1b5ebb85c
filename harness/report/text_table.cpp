#include "harness/report/text_table.h"

#include <algorithm>
#include <cstdint>
#include <ostream>

namespace benchbench {
namespace {

constexpr std::string_view kBetween = "  ";

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

// Blocks of UAX #11 and the combining marks of the Basic Multilingual Plane: enough for names of files and
// settings.
std::size_t width_of(std::uint32_t c) noexcept {
  constexpr Range none[] = {{0x300, 0x36f},   {0x483, 0x489},   {0x591, 0x5bd},   {0x610, 0x61a},
                            {0x64b, 0x65f},   {0x1ab0, 0x1aff}, {0x1dc0, 0x1dff}, {0x200b, 0x200f},
                            {0x20d0, 0x20ff}, {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}};
  constexpr Range wide[] = {{0x1100, 0x115f},   {0x2e80, 0x303e},   {0x3041, 0xa4cf},  {0xac00, 0xd7a3},
                            {0xf900, 0xfaff},   {0xfe30, 0xfe6f},   {0xff00, 0xff60},  {0xffe0, 0xffe6},
                            {0x1f300, 0x1f64f}, {0x1f900, 0x1f9ff}, {0x20000, 0x3fffd}};
  if (c < 0x300) return 1;
  if (within(c, std::begin(none), std::end(none))) return 0;
  return within(c, std::begin(wide), std::end(wide)) ? 2 : 1;
}

std::string padded(std::string_view text, std::size_t width, Align align) {
  const std::size_t used = display_width(text);
  const std::string space(width > used ? width - used : 0, ' ');
  return align == Align::left ? std::string(text) + space : space + std::string(text);
}

std::size_t width_of(const TableColumn& column) {
  std::size_t width = std::max(display_width(column.title), display_width(column.subtitle));
  for (const auto& cell : column.cells) width = std::max(width, display_width(cell));
  return width;
}

std::string trimmed(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

template <class Cell>
std::string joined(const std::vector<const TableColumn*>& block, Cell cell) {
  std::string line;
  for (const TableColumn* column : block) {
    if (!line.empty()) line += kBetween;
    line += padded(cell(*column), width_of(*column), column->align);
  }
  return trimmed(std::move(line));
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

std::string cut_to_width(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) return std::string(text);
  if (width == 0) return {};
  std::size_t used = 0, at = 0;
  while (at < text.size()) {
    const CodePoint c = decode(text, at);
    if (used + width_of(c.value) > width - 1) break;
    used += width_of(c.value);
    at += c.bytes;
  }
  return std::string(text.substr(0, at)) + "…";
}

std::string wrapped(std::string_view text, std::size_t width, std::size_t indent, std::size_t started) {
  std::string out;
  std::size_t column = started;
  while (!text.empty()) {
    std::size_t space = text.find(' ');
    // A number keeps its "%".
    if (space != std::string_view::npos && text.substr(space + 1).starts_with('%'))
      space = text.find(' ', space + 1);
    const std::string_view word = text.substr(0, space);
    text.remove_prefix(space == std::string_view::npos ? text.size() : space + 1);
    const std::size_t need = display_width(word);
    if (!out.empty() && column + 1 + need > width) {
      out += '\n' + std::string(indent, ' ');
      column = indent;
    } else if (!out.empty()) {
      out += ' ';
      ++column;
    }
    out += word;
    column += need;
  }
  return out;
}

std::vector<TextTable::Block> TextTable::blocks(std::size_t width) const {
  std::vector<Block> all;
  std::size_t used = 0;
  for (const TableColumn& column : columns_) {
    const std::size_t need = kBetween.size() + width_of(column);
    const bool full = !all.empty() && all.back().size() > 1 && used + need > width;
    if (all.empty() || full) {
      const TableColumn& first = columns_.front();
      all.push_back({&first});
      used = width_of(first);
      if (&column == &first) continue;
    }
    all.back().push_back(&column);
    used += need;
  }
  return all;
}

std::vector<std::string> TextTable::header(const Block& block) {
  std::vector<std::string> lines{joined(block, [](const TableColumn& c) { return c.title; })};
  if (std::any_of(block.begin(), block.end(), [](const TableColumn* c) { return !c->subtitle.empty(); }))
    lines.push_back(joined(block, [](const TableColumn& c) { return c.subtitle; }));
  return lines;
}

std::string TextTable::line(const Block& block, std::size_t row) {
  return joined(block, [row](const TableColumn& c) { return c.cells[row]; });
}

void TextTable::write_line(std::ostream& out, std::string_view line) { out << line << '\n'; }

}  // namespace benchbench
