#include <fmt/format.h>

#include <algorithm>

#include "harness/report/html/run_drawn.h"
#include "harness/report/text/cells.h"

namespace benchbench {
namespace {

nlohmann::ordered_json pairs_of(const DrawnSeries& s, double factor) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (const auto& [x, y] : s.values) out.push_back({drawn_number(x), drawn_number(y * factor)});
  return out;
}

std::pair<double, double> range_of(const DrawnSeries& s) {
  const auto [least, most] =
      std::ranges::minmax_element(s.values, {}, [](const auto& v) { return v.second; });
  return {least->second, most->second};
}

nlohmann::ordered_json line_of(const ReportInput& in, const DrawnTrial& trial) {
  nlohmann::ordered_json line = drawn_point(in.findings, trial.point);
  line["trial"] = trial.record->sequence + 1;
  return line;
}

void add_steps(const ReportInput& in, const std::vector<DrawnTrial>& trials, std::string_view name,
               std::string_view what, std::string_view question, Drawn& out) {
  nlohmann::ordered_json lines = nlohmann::ordered_json::array();
  HtmlFigure figure{"series", out.data.size(), 0, std::string(question), "", {}};
  figure.values = {"",
                   std::string(question),
                   false,
                   {{"point", "", false}, {"trial"}, {"steps"}, {"shortest"}, {"longest"}},
                   {}};
  for (const DrawnTrial& trial : trials)
    for (const DrawnSeries& s : trial.steps) {
      if (s.name != name || s.values.empty()) continue;
      nlohmann::ordered_json line = line_of(in, trial);
      line["values"] = pairs_of(s, 1);
      lines.push_back(std::move(line));
      const auto [least, most] = range_of(s);
      figure.values.rows.push_back(
          {name_cell_of(in.findings, trial.point),
           {std::to_string(trial.record->sequence + 1)},
           {human_count(static_cast<double>(trial.record->facts.window.steps))},
           {ms_text(least)},
           {ms_text(most)}});
    }
  if (lines.empty()) return;
  figure.how = fmt::format(
      "One trial of the base and, where another is to be used, of that one. Of more than {} the "
      "shortest and the longest of neighbours are drawn: no peak is lost.",
      counted(kDrawnValues, "step"));
  out.data.push_back({{"what", what}, {"unit", "ms"}, {"lines", std::move(lines)}});
  out.page += html_figure(figure);
}

// One chart a unit; each line a probe.
struct ProbeChart {
  std::string_view title, unit, question;
  double factor;
  std::vector<std::pair<std::string_view, std::string_view>> probes;  // name, label
};
const std::vector<ProbeChart>& probe_charts() {
  static const std::vector<ProbeChart> all{
      {"CPU",
       "cores",
       "Who used the cores?",
       1,
       {{"cpu_loader", "loader"},
        {"cpu_trainer", "trainer"},
        {"cpu_other", "other threads"},
        {"cpu_busy", "all programs"},
        {"steal", "stolen by other guests"}}},
      {"Memory",
       "MiB",
       "Did memory grow?",
       1.0 / (1 << 20),
       {{"memory", "this process"}, {"group_memory_used", "its cgroup without page cache"}}},
      {"Disk",
       "MB/s",
       "How much was read and written?",
       1e-6,
       {{"bytes_read", "read for the process"},
        {"bytes_written", "written by the process"},
        {"device_read", "read from the device"},
        {"device_written", "written to the device"}}},
  };
  return all;
}

void add_probe_chart(const ReportInput& in, const DrawnTrial& trial, std::size_t index,
                     const ProbeChart& chart, nlohmann::ordered_json& charts, std::string& page) {
  nlohmann::ordered_json lines = nlohmann::ordered_json::array();
  const std::string& point = in.findings.points[trial.point].name;
  HtmlFigure figure{"probes",
                    index,
                    charts.size(),
                    fmt::format("{} ({})", chart.question, point),
                    fmt::format("Trial {}, over the seconds of its window, in {}.",
                                trial.record->sequence + 1, chart.unit),
                    {}};
  figure.values = {"",
                   figure.question,
                   false,
                   {{"probe", "", false},
                    {"readings"},
                    {"least", std::string(chart.unit)},
                    {"most", std::string(chart.unit)}},
                   {}};
  for (const auto& [probe, label] : chart.probes)
    for (const DrawnSeries& s : trial.probes) {
      if (s.name != probe || s.values.size() < 2) continue;
      lines.push_back({{"probe", probe}, {"label", label}, {"values", pairs_of(s, chart.factor)}});
      const auto [least, most] = range_of(s);
      figure.values.rows.push_back({{std::string(label)},
                                    {human_count(static_cast<double>(s.kept))},
                                    {fmt::format("{:.4g}", least * chart.factor)},
                                    {fmt::format("{:.4g}", most * chart.factor)}});
    }
  if (lines.empty()) return;
  charts.push_back({{"title", chart.title}, {"unit", chart.unit}, {"lines", std::move(lines)}});
  page += html_figure(figure);
}

std::string why_none(const std::vector<DrawnTrial>& trials, std::string_view otherwise) {
  for (const DrawnTrial& trial : trials)
    if (!trial.why.empty())
      return fmt::format("The store's series could not be read: {}.", trial.why);
  return std::string(otherwise);
}

}  // namespace

Drawn drawn_step_series(const ReportInput& in, const std::vector<DrawnTrial>& trials) {
  Drawn out{nlohmann::ordered_json::array(), ""};
  add_steps(in, trials, "step", "step", "Are steps the same over the window?", out);
  add_steps(in, trials, "get_blocked", "wait", "When does the trainer wait?", out);
  if (out.page.empty())
    out.page = html_absent(why_none(
        trials, "No trial of the base or the point to use has the times of its steps one by one."));
  return out;
}

Drawn drawn_probes(const ReportInput& in, const std::vector<DrawnTrial>& trials) {
  Drawn out{nlohmann::ordered_json::array(), ""};
  for (const DrawnTrial& trial : trials) {
    nlohmann::ordered_json charts = nlohmann::ordered_json::array();
    for (const ProbeChart& chart : probe_charts())
      add_probe_chart(in, trial, out.data.size(), chart, charts, out.page);
    if (charts.empty()) continue;
    nlohmann::ordered_json one = line_of(in, trial);
    one["charts"] = std::move(charts);
    out.data.push_back(std::move(one));
  }
  if (out.page.empty())
    out.page = html_absent(why_none(trials,
                                    "No probe has two readings within a window: it was too short "
                                    "for them, or virtual time has none."));
  return out;
}

}  // namespace benchbench
