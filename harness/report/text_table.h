// Aligned columns of text for a terminal.
#pragma once
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace benchbench {

// Columns that a terminal needs for UTF-8 text: combining marks take none, East Asian wide characters and
// emoji two.
std::size_t display_width(std::string_view text) noexcept;
// Cut to at most `width` columns, with "…" where something was lost.
std::string cut_to_width(std::string_view text, std::size_t width);
// Words on lines of at most `width` columns; further lines start with `indent` spaces. A longer word stays
// whole. The first line has `started` columns taken already.
std::string wrapped(std::string_view text, std::size_t width, std::size_t indent = 0,
                    std::size_t started = 0);

enum class Align : unsigned char { left, right };

struct TableColumn {
  std::string title;
  std::string subtitle;  // unit or what it is of; a second line of the header where any column has one
  Align align = Align::right;
  std::vector<std::string> cells;  // one a row
};

// Prints columns side by side, two spaces between. Where they are wider than `width` the rest follows in
// further blocks, each starting with the first column again. `mark(row, line)` may put colour around a row's
// finished line; `headed` false leaves the titles out.
class TextTable {
 public:
  void add(TableColumn column) { columns_.push_back(std::move(column)); }
  const std::vector<TableColumn>& columns() const noexcept { return columns_; }
  template <class Mark>
  void write(std::ostream& out, std::size_t width, Mark mark, bool headed = true) const {
    bool first = true;
    for (const auto& block : blocks(width)) {
      if (!first) write_line(out, "");
      first = false;
      if (headed)
        for (const auto& title : header(block)) write_line(out, title);
      for (std::size_t row = 0; row < rows(); ++row) write_line(out, mark(row, line(block, row)));
    }
  }

 private:
  using Block = std::vector<const TableColumn*>;
  std::size_t rows() const noexcept { return columns_.empty() ? 0 : columns_.front().cells.size(); }
  std::vector<Block> blocks(std::size_t width) const;
  static std::vector<std::string> header(const Block& block);
  static std::string line(const Block& block, std::size_t row);
  static void write_line(std::ostream& out, std::string_view line);

  std::vector<TableColumn> columns_;
};

}  // namespace benchbench
