// The columns of every table of points: those of the table of metrics, and those that are none.
#pragma once
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "harness/analysis/findings.h"
#include "harness/analysis/metrics/metric.h"

namespace benchbench {

struct PointRow {
  const PointFindings& point;
  const Findings& findings;
  const Plan& plan;
  bool detail = true;
};

struct PointColumn {
  int place;  // columns are printed in this order
  std::string_view title;
  std::string_view subtitle;
  std::function<std::string(const PointRow&)> cell;  // kNotMeasured where there is nothing to say
  std::string definition;
  ColumnUse use = ColumnUse::detail;
  bool text = false;           // left-aligned words, else a number
  bool hide_if_empty = false;  // not to be named among what was not measured
};
// In the order to print.
std::span<const PointColumn> point_columns();

struct FilledColumn {
  const PointColumn* column;
  std::vector<std::string> cells;  // one a point
  bool empty;                      // nothing was measured
};
// In the order to print; without `detail` those that decide.
std::vector<FilledColumn> filled_columns(const Findings& findings, const Plan& plan,
                                         bool detail = true);

}  // namespace benchbench
