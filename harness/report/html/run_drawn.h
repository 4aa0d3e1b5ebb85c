// The charts of a run, each with the question it answers.
#pragma once
#include "harness/report/fields/drawn_series.h"
#include "harness/report/html/drawn.h"

namespace benchbench {

// Is it real?
Drawn drawn_ratio(const ReportInput& in);
Drawn drawn_anchor(const ReportInput& in);
// Where does the time go?
Drawn drawn_step(const ReportInput& in);
Drawn drawn_costs(const ReportInput& in);
Drawn drawn_substitution(const ReportInput& in);
Drawn drawn_axes(const ReportInput& in);
// Of the base and the point to use, one trial each.
Drawn drawn_distribution(const ReportInput& in);
Drawn drawn_step_series(const ReportInput& in, const std::vector<DrawnTrial>& trials);
Drawn drawn_probes(const ReportInput& in, const std::vector<DrawnTrial>& trials);

// The first chart, without a script: time per sample of loader, trainer and both together.
std::string times_figure(const ReportInput& in);

}  // namespace benchbench
