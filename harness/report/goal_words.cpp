#include "harness/report/goal_words.h"

#include <fmt/format.h>

#include <cmath>

#include "harness/record/setting_keys.h"
#include "harness/report/number_fields.h"

namespace benchbench {
namespace {

Note goal_line(const PointFindings& p, double asked, bool alone) {
  const std::string point = alone ? "" : p.name + ": ";
  const auto au = utilisation_of(p);
  if (!au) return {true, fmt::format("{}au not measured, at least {:g} required", point, asked)};
  const bool pass = *au >= asked;
  // Rounded down, so that what fails never reads as what was asked.
  return {!pass, fmt::format("{}au {:.3f}, at least {:g} required: {}", point,
                             std::floor(*au * 1000 + 1e-9) / 1000, asked, pass ? "pass" : "fail")};
}

}  // namespace

std::vector<Note> goal_lines(const Findings& findings, const Plan& plan) {
  std::vector<Note> lines;
  const auto asked = plan.scenario.base.get_if(keys::measure.au_at_least);
  if (!asked) return lines;
  for (const PointFindings& p : findings.points)
    lines.push_back(goal_line(p, *asked, findings.points.size() == 1));
  return lines;
}

}  // namespace benchbench
