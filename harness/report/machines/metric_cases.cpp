#include "harness/report/machines/metric_cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "harness/analysis/metrics/metric_fields.h"
#include "harness/analysis/rules/judged_trials.h"
#include "harness/analysis/rules/rules.h"
#include "harness/analysis/summary/point_summary.h"

namespace benchbench {
namespace {

void keep(std::vector<std::string>& reasons, const std::string& text) {
  if (std::ranges::find(reasons, text) == reasons.end()) reasons.push_back(text);
}

// What the point's trial of this mode adds: why it is not VALID, and how long its windows took.
void add_trial(MetricCase& out, const Point& point, Mode mode, const Plan& plan,
               const JudgedTrials& trials) {
  const auto trial = trial_of(point, mode);
  if (!trial || *trial >= plan.trials.size()) return;
  if (trials.of(*trial).empty() && plan.trials[*trial].skip)
    keep(out.reasons, *plan.trials[*trial].skip);
  for (const JudgedRecord& judged : trials.of(*trial)) {
    out.seconds += static_cast<double>(judged.record->facts.window.ns) * 1e-9;
    for (const Reason& r : judged.reasons)
      keep(out.reasons, r.rule.empty() ? r.text : fmt::format("{}: {}", r.rule, r.text));
  }
}

MetricCase make_case(const EstimateField& field, const PointFindings& f, const Point& point,
                     const Plan& plan, const JudgedTrials& trials) {
  MetricCase out;
  const auto& needs = field.metric->modes;
  out.metric = field.name;
  out.value = f.*field.value;
  for (std::size_t m = 0; m < needs.size(); ++m) {
    if (!needs[m]) continue;
    out.status = worst(out.status, f.mode_status[m].value_or(Status::skipped));
    out.never_ran = out.never_ran || f.never_ran[m];
    add_trial(out, point, static_cast<Mode>(m), plan, trials);
  }
  if (point.skip) keep(out.reasons, *point.skip);
  if (!field.metric->is_rate()) out.seconds = 0;
  return out;
}

bool has_status(const Metric& metric) { return std::ranges::count(metric.modes, true) > 0; }

// Of a point that was skipped no mode has a status.
bool was_asked_for(const Metric& metric, const PointFindings& f, const Point& point) {
  for (std::size_t m = 0; m < metric.modes.size(); ++m)
    if (metric.modes[m] && !f.mode_status[m] &&
        !(point.skip && trial_of(point, static_cast<Mode>(m))))
      return false;
  return true;
}

}  // namespace

std::vector<std::string> unique_point_names(const Findings& findings) {
  std::vector<std::string> names;
  std::map<std::string, int> seen;
  for (const PointFindings& f : findings.points) {
    const int times = ++seen[f.name];
    names.push_back(times == 1 ? f.name : fmt::format("{} #{}", f.name, times));
  }
  return names;
}

std::vector<MetricCase> metric_cases(const ReportInput& in) {
  const JudgedTrials& trials = *in.findings.judged;
  const std::vector<std::string> names = unique_point_names(in.findings);
  std::vector<MetricCase> all;
  for (std::size_t i = 0; i < in.findings.points.size(); ++i) {
    const PointFindings& f = in.findings.points[i];
    const Point& point = in.plan.points[f.point];
    for (const EstimateField& field : estimate_fields()) {
      if (!has_status(*field.metric) || !was_asked_for(*field.metric, f, point)) continue;
      all.push_back(make_case(field, f, point, in.plan, trials));
      all.back().point = names[i];
    }
  }
  return all;
}

}  // namespace benchbench
