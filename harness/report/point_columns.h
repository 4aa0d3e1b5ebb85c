// The columns that every table of points has: one row here, and each printer has it.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "harness/analysis/findings.h"

namespace benchbench {

struct PointRow {
  const PointFindings& point;
  const Findings& findings;
  const Plan& plan;
};

struct PointColumn {
  std::string_view title;
  std::string_view subtitle;
  bool text = false;                     // left-aligned words, else a number
  std::string (*cell)(const PointRow&);  // kNotMeasured where there is nothing to say
};

std::span<const PointColumn> point_columns() noexcept;

}  // namespace benchbench
