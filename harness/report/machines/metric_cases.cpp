#include "harness/report/machines/metric_cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "harness/analysis/judged_trials.h"
#include "harness/analysis/point_summary.h"
#include "harness/analysis/rules.h"
#include "harness/report/number_fields.h"

namespace benchbench {
namespace {

struct CaseRow {
  Measured PointFindings::* value;
  std::array<bool, 3> needs;  // by Mode
  bool is_rate = false;
};
constexpr CaseRow kRows[] = {
    {&PointFindings::loader_rate, {true, false, false}, true},
    {&PointFindings::trainer_rate, {false, true, false}, true},
    {&PointFindings::pipeline_rate, {false, false, true}, true},
    {&PointFindings::headroom, {true, true, false}},
    {&PointFindings::exposed_wait_ms, {false, false, true}},
};

std::string_view name_of_estimate(Measured PointFindings::* value) {
  return std::ranges::find(estimate_fields(), value, &EstimateField::value)->name;
}

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

MetricCase case_of(const CaseRow& row, const PointFindings& f, const Point& point, const Plan& plan,
                   const JudgedTrials& trials) {
  MetricCase out;
  out.metric = name_of_estimate(row.value);
  out.value = f.*row.value;
  for (std::size_t m = 0; m < row.needs.size(); ++m) {
    if (!row.needs[m]) continue;
    out.status = worst(out.status, f.mode_status[m].value_or(Status::skipped));
    out.never_ran = out.never_ran || f.never_ran[m];
    add_trial(out, point, static_cast<Mode>(m), plan, trials);
  }
  if (point.skip) keep(out.reasons, *point.skip);
  if (!row.is_rate) out.seconds = 0;
  return out;
}

// Of a point that was skipped no mode has a status.
bool was_asked_for(const CaseRow& row, const PointFindings& f, const Point& point) {
  for (std::size_t m = 0; m < row.needs.size(); ++m)
    if (row.needs[m] && !f.mode_status[m] && !(point.skip && trial_of(point, static_cast<Mode>(m))))
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
    for (const CaseRow& row : kRows) {
      if (!was_asked_for(row, f, point)) continue;
      all.push_back(case_of(row, f, point, in.plan, trials));
      all.back().point = names[i];
    }
  }
  return all;
}

}  // namespace benchbench
