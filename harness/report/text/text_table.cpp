#include "harness/report/text/text_table.h"

#include <algorithm>

#include "harness/core/visible_text.h"

namespace benchbench {
namespace {

constexpr std::string_view kBetween = "  ";
// A first column that is broken into lines keeps so many columns.
constexpr std::size_t kNarrowName = 14;
constexpr std::size_t kIndent = 2;  // of a broken cell's further lines

std::string padded(std::string_view text, std::size_t width, Align align) {
  const std::size_t used = display_width(text);
  const std::string space(width > used ? width - used : 0, ' ');
  return align == Align::left ? std::string(text) + space : space + std::string(text);
}

std::size_t natural_width(const TableColumn& column) {
  std::size_t width = std::max(display_width(column.title), display_width(column.subtitle));
  for (const auto& cell : column.cells) width = std::max(width, display_width(cell));
  return width;
}

struct Placed {
  const TableColumn* column;
  std::size_t width;
};
using Block = std::vector<Placed>;

// All columns with the width that each gets, the first one narrower where that spares a block.
Block placed(const std::vector<TableColumn>& columns, std::size_t width) {
  Block all;
  std::size_t others = 0;
  for (const TableColumn& c : columns) {
    all.push_back({&c, natural_width(c)});
    if (all.size() > 1) others += kBetween.size() + all.back().width;
  }
  if (all.empty() || all.front().width + others <= width) return all;
  const std::size_t most =
      others + kNarrowName <= width ? width - others : std::max(kNarrowName, width * 2 / 5);
  all.front().width = std::min(all.front().width, all.size() > 1 ? most : width);
  const std::size_t taken = all.front().width + kBetween.size();
  for (std::size_t i = 1; i < all.size(); ++i)
    all[i].width = std::min(all[i].width, width > taken ? width - taken : 1);
  return all;
}

std::vector<Block> blocks_of(const Block& columns, std::size_t width) {
  std::vector<Block> all;
  std::size_t used = 0;
  for (const Placed& p : columns) {
    const std::size_t need = kBetween.size() + p.width;
    if (all.empty() || (all.back().size() > 1 && used + need > width)) {
      all.push_back({columns.front()});
      used = columns.front().width;
      if (p.column == columns.front().column) continue;
    }
    all.back().push_back(p);
    used += need;
  }
  return all;
}

std::vector<std::string> broken(const std::string& cell, std::size_t width) {
  if (display_width(cell) <= width) return {cell};
  return split_lines(wrapped(cell, width, width > 2 * kIndent ? kIndent : 0));
}

// One row of `block`, as many lines as its longest broken cell has.
template <class Cell>
void add_row(std::vector<TableLine>& out, const Block& block, std::size_t row, Cell cell) {
  std::vector<std::vector<std::string>> cells;
  std::size_t height = 1;
  for (const Placed& p : block) {
    cells.push_back(broken(cell(*p.column), p.width));
    height = std::max(height, cells.back().size());
  }
  for (std::size_t line = 0; line < height; ++line) {
    std::string text;
    for (std::size_t i = 0; i < block.size(); ++i)
      text.append(i ? kBetween : "")
          .append(padded(line < cells[i].size() ? cells[i][line] : "", block[i].width,
                         block[i].column->align));
    text.erase(text.find_last_not_of(' ') + 1);
    out.push_back({row, std::move(text)});
  }
}

void add_titles(std::vector<TableLine>& out, const Block& block) {
  add_row(out, block, TableLine::kNoRow,
          [](const TableColumn& c) -> const std::string& { return c.title; });
  if (std::ranges::any_of(block, [](const Placed& p) { return !p.column->subtitle.empty(); }))
    add_row(out, block, TableLine::kNoRow,
            [](const TableColumn& c) -> const std::string& { return c.subtitle; });
}

}  // namespace

void TextTable::add(TableColumn column) {
  for (std::string& cell : column.cells) cell = visible(cell);
  columns_.push_back(std::move(column));
}

std::vector<TableLine> TextTable::lines(std::size_t width, bool headed) const {
  std::vector<TableLine> out;
  const std::size_t rows = columns_.empty() ? 0 : columns_.front().cells.size();
  for (const Block& block : blocks_of(placed(columns_, width), width)) {
    if (!out.empty()) out.emplace_back();
    if (headed) add_titles(out, block);
    for (std::size_t row = 0; row < rows; ++row)
      add_row(out, block, row,
              [row](const TableColumn& c) -> const std::string& { return c.cells[row]; });
  }
  return out;
}

}  // namespace benchbench
