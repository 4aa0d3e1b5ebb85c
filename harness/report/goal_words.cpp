#include "harness/report/goal_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/analysis/rules.h"

namespace benchbench {
namespace {

bool is_usable_in(const PointFindings& p, Mode mode) {
  const auto status = p.mode_status[static_cast<std::size_t>(mode)];
  return status && is_usable(*status);
}

std::optional<double> au_of(const PointFindings& p) {
  if (!p.pipeline_rate || !p.trainer_rate || !(p.trainer_rate->value > 0)) return std::nullopt;
  if (!is_usable_in(p, Mode::pipeline) || !is_usable_in(p, Mode::trainer)) return std::nullopt;
  return p.pipeline_rate->value / p.trainer_rate->value;
}

Note goal_line(const PointFindings& p, double asked, bool alone) {
  const std::string point = alone ? "" : p.name + ": ";
  const auto au = au_of(p);
  if (!au) return {true, fmt::format("{}au not measured, at least {:g} required", point, asked)};
  const bool pass = *au >= asked;
  // Rounded down, so that what fails never reads as what was asked; a share is no more than 1,
  // whatever the noise.
  return {!pass, fmt::format("{}au {:.3f}, at least {:g} required: {}", point,
                             std::min(std::floor(*au * 1000 + 1e-9) / 1000, 1.0), asked,
                             pass ? "pass" : "fail")};
}

}  // namespace

std::vector<Note> goal_lines(const Findings& findings, const Plan& plan) {
  std::vector<Note> lines;
  const Value* asked = plan.scenario.base.find("measure.au_at_least");
  if (!asked || asked->none()) return lines;
  for (const PointFindings& p : findings.points)
    lines.push_back(
        goal_line(p, plan.scenario.base.real("measure.au_at_least"), findings.points.size() == 1));
  return lines;
}

}  // namespace benchbench
