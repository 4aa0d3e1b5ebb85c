// A metric of a point as a cell of its table.
#pragma once
#include <string>

#include "harness/report/tables/point_columns.h"

namespace benchbench {

// kNotMeasured where there is nothing to say.
std::string metric_cell(const Metric& metric, const PointRow& row);
// L, T or F; one that nothing may use is in brackets.
std::string bracketed_rate(const Metric& metric, const PointRow& row);

}  // namespace benchbench
