// The columns that every table of points has: one row here, and each printer has it.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/analysis/findings.h"

namespace benchbench {

struct PointRow {
  const PointFindings& point;
  const Findings& findings;
  const Plan& plan;
  bool detail = true;
};

// Where a column is printed.
enum class ColumnUse : std::uint8_t {
  always,
  where_points_differ,  // with --detail always
  detail,               // only with --detail, and in Markdown
};

struct PointColumn {
  std::string_view title;
  std::string_view subtitle;
  bool text = false;                     // left-aligned words, else a number
  std::string (*cell)(const PointRow&);  // kNotMeasured where there is nothing to say
  ColumnUse use = ColumnUse::detail;
  bool absence_tells = false;  // not to be named among what was not measured
};

struct FilledColumn {
  const PointColumn* column;
  std::vector<std::string> cells;  // one a point
  bool empty;                      // nothing was measured
};
// In the order to print; without `detail` those that decide.
std::vector<FilledColumn> filled_columns(const Findings& findings, const Plan& plan,
                                         bool detail = true);

}  // namespace benchbench
