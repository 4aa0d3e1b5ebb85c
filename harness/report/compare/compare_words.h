// Cells and half-sentences of the report of `compare`.
#pragma once
#include <string>
#include <string_view>

#include "harness/core/visible_text.h"
#include "harness/report/compare/compare_report.h"

namespace benchbench {

// "12,800/s", "2.47 ms", "1.2 GiB"
std::string value_cell(const Measured& value, const Metric& metric);
std::string change_cell(const Measured& change);  // "-4.8 %"
// "[-5.5, -4.1]", "exact"; empty under two rounds.
std::string interval_cell(const Measured& change);
// "-4.8 % [-5.5, -4.1]".
std::string change_text(const Measured& change);
// Milliseconds with their sign and interval: "+530 us [510 us, 550 us]".
std::string growth_text(const Estimate& ms);
std::string detectable_cell(const MetricComparison& c);
// Why UNSURE or INVALID: "fewer than 10 rounds in common".
std::string unsure_text(const MetricComparison& c, Relation relation);
std::string not_comparable_text(const ComparisonFindings& found);
std::string stage_text(const MovedStage& stage);
std::string difference_line(const RunDifference& difference);
std::string relation_text(const ComparisonFindings& found);
std::string gate_text(const Gate& gate);  // "slower:3%"

}  // namespace benchbench
