#include <fmt/format.h>

#include <algorithm>

#include "harness/report/html/run_drawn.h"
#include "harness/report/text/cells.h"

namespace benchbench {
namespace {

const StepIdentity* step_of(const Findings& f, std::uint32_t point) {
  const auto found = std::ranges::find(f.steps, point, &StepIdentity::point);
  return found == f.steps.end() ? nullptr : &*found;
}

std::string part_text(double ms, double step_ms) {
  return fmt::format("{}, {}", ms_text(ms), share_text(ms / step_ms));
}

nlohmann::ordered_json row_of(const ReportInput& in, const StepIdentity& step) {
  nlohmann::ordered_json row = drawn_point(in.findings, step.point);
  row["step_ms"] = drawn_number(step.step_ms);
  row["text"] = ms_text(step.step_ms);
  row["parts"] = nlohmann::ordered_json::array();
  for (const auto& [name, ms] : step.parts)
    row["parts"].push_back({{"name", step_part(name, in.plan)},
                            {"ms", drawn_number(ms)},
                            {"text", part_text(ms, step.step_ms)}});
  return row;
}

void add_cost(const Findings& f, std::uint32_t point, std::string_view side, const Measured& cost,
              nlohmann::ordered_json& rows, HtmlTable& values) {
  if (!cost) return;
  nlohmann::ordered_json row = drawn_point(f, point);
  row["side"] = side;
  row.update(drawn_estimate(*cost));
  row["text"] = ms_with_interval(*cost);
  rows.push_back(std::move(row));
  values.rows.push_back({name_cell_of(f, point), {std::string(side)}, {ms_with_interval(*cost)}});
}

}  // namespace

Drawn drawn_step(const ReportInput& in) {
  const Findings& f = in.findings;
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  std::vector<std::string> names;
  HtmlFigure figure{"step", 0, 0, "What does a step consist of?", "", {}};
  figure.values = {"",
                   "Parts of a step",
                   false,
                   {{"point", "", false}, {"part", "", false}, {"time per step, share", "", true}},
                   {}};
  for (const std::uint32_t point : drawn_points(f)) {
    const StepIdentity* step = step_of(f, point);
    if (!step) continue;
    rows.push_back(row_of(in, *step));
    for (const auto& [part, ms] : step->parts) {
      const std::string name(step_part(part, in.plan));
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
      figure.values.rows.push_back(
          {name_cell_of(f, point), {name}, {part_text(ms, step->step_ms)}});
    }
  }
  if (rows.empty())
    return {nullptr,
            html_absent("No step of loader and trainer together was measured part by part.")};
  figure.how = fmt::format(
      "The trainer's thread, loader and trainer together, from one step's begin to the next one's: "
      "the parts add up to the step. {}",
      left_out_words(f));
  return {{{"names", names}, {"rows", std::move(rows)}}, html_figure(figure)};
}

Drawn drawn_costs(const ReportInput& in) {
  const Findings& f = in.findings;
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  HtmlFigure figure{"costs", 0, 0, "What does each side cost a step?", "", {}};
  figure.values = {"",
                   "Costs of the sides",
                   false,
                   {{"point", "", false}, {"side", "", false}, {"cost per step", "", true}},
                   {}};
  for (const std::uint32_t point : drawn_points(f)) {
    const PointFindings& p = f.points[point];
    add_cost(f, point, "loader", p.loader_cost_ms, rows, figure.values);
    add_cost(f, point, "trainer", p.trainer_cost_ms, rows, figure.values);
    add_cost(f, point, "contention", p.contention_ms, rows, figure.values);
  }
  if (rows.empty())
    return {nullptr, html_absent("No point has the loader alone, the trainer alone and both "
                                 "together, so that neither side's cost is known.")};
  figure.how = fmt::format(
      "What a step would be shorter by if that side were free: batch x (1/F - 1/T) for the loader, "
      "batch x (1/F - 1/L) for the trainer, with 95 % intervals; "
      "contention is what they take from each other. {}",
      left_out_words(f));
  return {{{"rows", std::move(rows)}}, html_figure(figure)};
}

}  // namespace benchbench
