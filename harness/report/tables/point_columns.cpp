#include "harness/report/tables/point_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "harness/analysis/conclusion/answer.h"
#include "harness/analysis/summary/gain.h"
#include "harness/report/tables/metric_cell.h"
#include "harness/report/text/cells.h"

namespace benchbench {
namespace {

// Where the last word of a key begins. A short word before it says what it is and stays:
// non_blocking, in_order, pin_memory.
std::size_t last_word(const std::string& key) {
  constexpr std::size_t kShort = 3;
  const std::size_t section = key.rfind('.') + 1, word = key.rfind('_') + 1;
  return word <= section || word - 1 - section <= kShort ? section : word;
}

// The point's name, but of a key that follows the first its last word only: "num_workers=0
// threads=2" for "num_workers=0 intra_op_threads=2", whose width would push columns that decide
// into the second block.
std::string short_name(const PointRow& r) {
  const auto& labels = r.plan.points[r.point.point].labels;
  if (labels.size() < 2 || r.point.point == 0) return r.point.name;
  std::string name;
  for (const auto& [key, label] : labels) {
    const auto from = name.empty() ? key.rfind('.') + 1 : last_word(key);
    name += fmt::format("{}{}={}", name.empty() ? "" : " ", key.substr(from), label);
  }
  return name;
}

std::string marked(const PointRow& r, std::string name) {
  const bool best =
      r.findings.best && *r.findings.best == r.point.point && r.findings.points.size() > 1;
  return name + (best ? " *" : "");
}

std::string name_cell(const PointRow& r) {
  return wraps_script(r.plan) ? kNotMeasured : marked(r, short_name(r));
}

// Of a wrapped script: the variable that holds its loader; of a copy of that what differs.
std::string own_loader_cell(const PointRow& r) {
  if (!wraps_script(r.plan)) return kNotMeasured;
  const Value* name = r.plan.scenario.base.find("loader.call");
  return marked(r, r.point.point == 0 && name ? name->text() : short_name(r));
}

std::string status_cell(const PointRow& r) {
  const bool hidden =
      r.point.status == Status::noisy && !r.detail && hides_noise(r.findings, r.plan);
  return r.point.status == Status::valid || hidden ? kNotMeasured
                                                   : std::string(status_text(r.point));
}

std::string script_cell(const PointRow& r) {
  return wraps_script(r.plan) ? bracketed_rate(rate_metric(Mode::pipeline), r) : kNotMeasured;
}

// "3", or "3/3/2" where L, T and F come from different numbers of rounds.
std::string rounds_cell(const PointRow& r) {
  std::vector<std::uint32_t> n;
  for (const Measured* m : {&r.point.loader_rate, &r.point.trainer_rate, &r.point.pipeline_rate})
    if (*m) n.push_back((*m)->n);
  if (n.empty()) return kNotMeasured;
  if (std::all_of(n.begin(), n.end(), [&](auto v) { return v == n.front(); }))
    return std::to_string(n.front());
  return fmt::format("{}", fmt::join(n, "/"));
}

std::string side_cell(const PointRow& r) {
  const PointFindings& p = r.point;
  if (p.side == Side::unknown) return p.unclear ? "unclear" : kNotMeasured;
  if (wraps_script(r.plan) && (p.side == Side::loader || p.side == Side::trainer) &&
      workers_of(r.plan.points[p.point]) == 0)
    return "both in turn";
  if (p.is_bound(Mode::loader) && p.is_bound(Mode::trainer)) return "neither";
  std::string text{name_of(p.side)};
  if (is_side_doubted(r.findings) && r.findings.conclusion.subject == p.point)
    return r.findings.conclusion.doubt == Doubt::few_rounds ? text + "?" : "unclear";
  if (p.side_cost_ms) text += ' ' + ms_text(p.side_cost_ms->value);
  return text;
}

// "cold(data)", "warm"; what was left as it is says nothing here, its reason is among the warnings.
std::string degree_cell(const PointRow& r) {
  const CacheState& state = r.point.cache_state;
  const bool as_asked = state.degree == CacheDegree::as_is && state.why.empty();
  return as_asked || state.degree == CacheDegree::unknown ? kNotMeasured
                                                          : std::string(name_of(state.degree));
}

std::string steps_cell(const PointRow& r) {
  return r.point.steadiness <= SteadinessKind::steady ? kNotMeasured
                                                      : std::string(name_of(r.point.steadiness));
}

// The columns that are no metric's.
std::vector<PointColumn> columns_of_words() {
  return {
      {0, "point", "", name_cell,
       "One combination of the swept settings. The base point is the scenario as written; every "
       "other point differs from it in the settings in its name. The best point is marked with *.",
       ColumnUse::always, true, true},
      {1, "DataLoader", "", own_loader_cell,
       "Of a wrapped script, in place of the point: the variable that holds its loader, or what a "
       "copy of it that was tried has in its place.",
       ColumnUse::always, true, true},
      {13, "script F", "samples/s", script_cell,
       "Of a wrapped script, in place of the pipeline: the rate of the script as it is.",
       ColumnUse::always, false, true},
      {14, "n", "", rounds_cell,
       "The number of rounds behind the figures of this row; 3/3/2 if it differs between L, T and "
       "F. With fewer than 5, conclusions are only indicative.",
       ColumnUse::where_points_differ},
      {22, "held back by", "per step", side_cell,
       "The side that costs more of the pipeline's step, and its cost per step: batch x (1/F - "
       "1/T) for the loader, batch x (1/F - 1/L) for the trainer, without what contention costs: "
       "where F is below 0.95 of min(L, T, C), that minimum takes the place of F.",
       ColumnUse::always, true},
      {23, "status", "", status_cell, "The worst status of the point's trials; `-` means VALID.",
       ColumnUse::always, true, true},
      {45, "cache", "as begun", degree_cell,
       "State of the page cache when the window began: cold(data), cold(data+metadata), warm or "
       "as_is.",
       ColumnUse::detail, true, true},
      {46, "steps", "", steps_cell,
       "The shape of the window if it was not steady: periodic, slope or unsteady.",
       ColumnUse::detail, true, true},
  };
}

PointColumn make_column(const Metric& metric) {
  const MetricColumn& c = metric.column;
  return {c.place,
          c.title,
          c.subtitle,
          [&metric](const PointRow& row) { return metric_cell(metric, row); },
          fmt::format("{}: {}{}", metric.name, metric.definition, c.note),
          c.use,
          false,
          c.hide_if_empty};
}

bool is_printed(const FilledColumn& c, bool detail) {
  if (detail || c.column->use == ColumnUse::always) return true;
  if (c.column->use == ColumnUse::detail) return false;
  std::set<std::string> told(c.cells.begin(), c.cells.end());
  told.erase(kNotMeasured);
  return told.size() > 1;
}

}  // namespace

std::span<const PointColumn> point_columns() {
  static const auto all = [] {
    std::vector<PointColumn> columns = columns_of_words();
    for (const Metric& metric : metrics())
      if (!metric.column.title.empty()) columns.push_back(make_column(metric));
    std::ranges::sort(columns, {}, &PointColumn::place);
    return columns;
  }();
  return all;
}

std::vector<FilledColumn> filled_columns(const Findings& findings, const Plan& plan, bool detail) {
  std::vector<FilledColumn> filled;
  for (const PointColumn& column : point_columns()) {
    FilledColumn made{&column, {}, true};
    for (const PointFindings& point : findings.points) {
      made.cells.push_back(column.cell({point, findings, plan, detail}));
      made.empty = made.empty && made.cells.back() == kNotMeasured;
    }
    if (is_printed(made, detail)) filled.push_back(std::move(made));
  }
  return filled;
}

}  // namespace benchbench
