// Aligned columns of text for a terminal.
#pragma once
#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "harness/report/text/display_text.h"

namespace benchbench {

enum class Align : unsigned char { left, right };

struct TableColumn {
  std::string title;
  // The unit, or what it is of; a second line of the header where any column has one.
  std::string subtitle;
  Align align = Align::right;
  std::vector<std::string> cells;  // one a row
};

struct TableLine {
  static constexpr std::size_t kNoRow = SIZE_MAX;
  std::size_t row = kNoRow;  // that it is of; of titles and between blocks none
  std::string text;
};

// Columns side by side, two spaces between. Where they are wider than `width`, the first column's
// cells are broken into lines if that makes room for all others; else the rest follows in further
// blocks, each starting with the first column again. No line is wider than `width` from 40 columns
// on. `headed` false leaves the titles out.
class TextTable {
 public:
  // Its cells are shown as visible text.
  void add(TableColumn column);
  const std::vector<TableColumn>& columns() const noexcept { return columns_; }
  std::vector<TableLine> lines(std::size_t width, bool headed = true) const;
  // `mark(row, line)` may put colour around a row's finished line.
  template <class Mark>
  void write(std::ostream& out, std::size_t width, Mark mark, bool headed = true) const {
    for (TableLine& line : lines(width, headed))
      out << (line.row == TableLine::kNoRow ? std::move(line.text)
                                            : mark(line.row, std::move(line.text)))
          << '\n';
  }

 private:
  std::vector<TableColumn> columns_;
};

}  // namespace benchbench
