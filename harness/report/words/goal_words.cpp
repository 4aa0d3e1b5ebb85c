#include "harness/report/words/goal_words.h"

#include <fmt/format.h>

#include <cmath>

#include "harness/analysis/metrics/metric.h"
#include "harness/record/setting_keys.h"

namespace benchbench {
namespace {

Note goal_line(const PointFindings& p, double asked, bool alone) {
  const std::string point = alone ? "" : p.name + ": ";
  const auto au = utilisation(p);
  if (!au) return {true, fmt::format("{}au not measured, at least {:g} required", point, asked)};
  const bool pass = *au >= asked;
  // Rounded down, so that what fails never reads as what was asked.
  return {!pass, fmt::format("{}au {:.3f}, at least {:g} required: {}", point,
                             std::floor(*au * 1000 + 1e-9) / 1000, asked, pass ? "pass" : "fail")};
}

}  // namespace

std::vector<Note> goal_lines(const Findings& findings, const Plan& plan) {
  std::vector<Note> lines;
  const Value* asked = plan.scenario.base.find(keys::measure.au_at_least);
  if (!asked || asked->none()) return lines;
  for (const PointFindings& p : findings.points)
    lines.push_back(goal_line(p, plan.scenario.base.get(keys::measure.au_at_least),
                              findings.points.size() == 1));
  return lines;
}

}  // namespace benchbench
