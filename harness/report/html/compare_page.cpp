#include "harness/report/html/compare_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "harness/report/compare/compare_words.h"
#include "harness/report/fields/json_maker.h"
#include "harness/report/html/drawn.h"
#include "harness/report/html/html_text.h"
#include "harness/report/html/page_frame.h"

namespace benchbench {
namespace {

using Json = nlohmann::ordered_json;

std::string names_of(const ComparisonFindings& f) {
  return f.scenario_a == f.scenario_b ? f.scenario_a : f.scenario_a + " and " + f.scenario_b;
}

std::string side_line(const char* name, const ComparedSide& s, std::uint32_t rounds) {
  return fmt::format("{}: {}, {} usable{}{}", name, visible(s.where), counted(rounds, "round"),
                     s.started_at.empty() ? "" : ", from " + visible(s.started_at),
                     s.build.empty() ? "" : ", " + visible(s.build));
}

// Of a change: B over A, 1 = as before.
Json row_of(const PointComparison& p, const MetricComparison& c) {
  Json row{{"name", p.name}, {"judgement", name_of(c.judgement)}};
  row.update(
      drawn_estimate({1 + c.change->value, 1 + c.change->low, 1 + c.change->high, c.change->n}));
  row["text"] = change_text(c.change);
  row["rounds"] = Json::array();
  for (std::size_t i = 0; i < c.single.size(); ++i)
    row["rounds"].push_back({i + 1, drawn_number(1 + c.single[i])});
  row["detectable"] =
      c.judgement == Judged::same && c.detectable ? drawn_number(*c.detectable) : Json();
  row["stage"] = p.stage && c.is_called() ? stage_text(*p.stage) : "";
  return row;
}

std::string question_of(const Metric& metric) {
  const std::string name(metric.name);
  return metric.is_rate() ? fmt::format("Is B slower than A by its {}?", name)
                          : fmt::format("Is B worse than A by its {}?", name);
}

void add_metric(const ComparisonFindings& f, const Metric& metric, Drawn& out) {
  Json rows = Json::array();
  HtmlFigure figure{"compare", out.data.size(), 0, question_of(metric), "", {}};
  figure.values = {"",
                   fmt::format("B against A by {}", metric.name),
                   false,
                   {{"point", "", false},
                    {"A"},
                    {"B"},
                    {"change"},
                    {"judgement", "", false},
                    {"stage that moved", "", false}},
                   {}};
  for (const PointComparison& p : f.points)
    for (const MetricComparison& c : p.metrics) {
      if (c.metric != &metric || !c.change || rows.size() == kDrawnPoints) continue;
      rows.push_back(row_of(p, c));
      figure.values.rows.push_back({{p.name},
                                    {value_cell(c.a, metric)},
                                    {value_cell(c.b, metric)},
                                    {change_text(c.change)},
                                    status_cell_of(name_of(c.judgement)),
                                    {p.stage && c.is_called() ? stage_text(*p.stage) : ""}});
    }
  if (rows.empty()) return;
  const std::string_view what = metric.compared.kind == MetricKind::wait
                                    ? "What the wait grew by, as a share of A's step"
                                    : "What B is above or below A by";
  const std::string_view rounds = f.relation == Relation::stored
                                      ? "each round of B over the mean of A as a dot"
                                      : "each round as a dot";
  figure.how = fmt::format(
      "{}: the mean, its 95 % interval, and {}. Behind a SAME row the band is what would have been "
      "called in 8 of 10 such comparisons. At most {} are drawn.",
      what, rounds, counted(kDrawnPoints, "point"));
  out.data.push_back({{"metric", metric.name}, {"unit", ""}, {"rows", std::move(rows)}});
  out.page += html_figure(figure);
}

Drawn drawn_changes(const ComparisonFindings& f) {
  Drawn out{Json::array(), ""};
  for (const Metric* metric : compared_metrics()) add_metric(f, *metric, out);
  if (out.page.empty())
    out.page = html_absent(f.not_comparable != NotComparable::none
                               ? not_comparable_text(f)
                               : "No metric has a usable round on both sides.");
  return out;
}

std::string table_of(const ComparisonFindings& f) {
  HtmlTable table{"points-table",
                  "Each metric of each point",
                  true,
                  {{"point", "", false},
                   {"metric", "", false},
                   {"A", "", true},
                   {"B", "", true},
                   {"change", "", true},
                   {"95 % interval", "", false},
                   {"detectable", "", true},
                   {"judgement", "", false},
                   {"why", "", false}},
                  {}};
  for (const PointComparison& p : f.points)
    for (const MetricComparison& c : p.metrics) {
      const auto value = [](const Measured& m) {
        return m ? std::optional(m->value) : std::nullopt;
      };
      const bool open = c.judgement == Judged::unsure || c.judgement == Judged::invalid;
      table.rows.push_back({{p.name},
                            {std::string(c.metric->name)},
                            number_cell(value_cell(c.a, *c.metric), value(c.a)),
                            number_cell(value_cell(c.b, *c.metric), value(c.b)),
                            number_cell(change_cell(c.change), value(c.change)),
                            {interval_cell(c.change)},
                            number_cell(detectable_cell(c), c.detectable),
                            status_cell_of(name_of(c.judgement)),
                            {open ? unsure_text(c, f.relation) : ""}});
    }
  return table.rows.empty() ? html_absent("No point is in both runs.")
                            : "<p class=\"filter\"><label>Filter comparisons: <input "
                              "type=\"search\" data-for=\"points-table\"></label> <output "
                              "data-count=\"points-table\"></output></p>\n" +
                                  html_table(table);
}

std::string answer_of(const CompareReport& r) {
  std::string out = fmt::format("<dl class=\"conclusion\">\n<dt>B against A</dt><dd>{}</dd>\n",
                                html(compare_summary(r)));
  for (const PointComparison& p : r.found.points) {
    if (!p.changed()) continue;
    std::string text;
    for (const MetricComparison& c : p.metrics)
      if (c.is_called())
        text += fmt::format("{}{} {} {}", text.empty() ? "" : ", ", name_of(c.judgement),
                            c.metric->name, change_text(c.change));
    if (p.side_moved)
      text += fmt::format("{}held back by the {}, before by the {}", text.empty() ? "" : ", ",
                          name_of(p.side_b), name_of(p.side_a));
    if (p.stage) text += "; " + stage_text(*p.stage);
    out += fmt::format("<dt>{}</dt><dd>{}</dd>\n", html(p.name), html(text));
  }
  return out +
         "</dl>\n<div class=\"actions\"><button type=\"button\" id=\"save-json\" "
         "hidden>Save as JSON</button></div>\n";
}

Json points_of(const ComparisonFindings& f) {
  Json points = Json::array();
  for (std::size_t i = 0; i < f.points.size(); ++i)
    points.push_back({{"index", i},
                      {"name", f.points[i].name},
                      {"status", "VALID"},
                      {"side", name_of(f.points[i].side_b)},
                      {"base", false},
                      {"use", false}});
  return points;
}

std::string in_full(const CompareReport& report) {
  return fmt::format(
      "<pre id=\"text\" tabindex=\"0\">{}</pre>\n<p><button type=\"button\" class=\"copy\" "
      "data-copy=\"text\" hidden>Copy</button> <output></output></p>\n",
      html(compare_text(report, 100, true)));
}

}  // namespace

void write_compare_page(std::ostream& out, const CompareReport& report) {
  const ComparisonFindings& f = report.found;
  Drawn changes = drawn_changes(f);
  HtmlPage page;
  page.title = "compare " + names_of(f);
  page.question = "Is B slower than A, where, and what differs?";
  page.about = {side_line("A", report.a, f.rounds_a), side_line("B", report.b, f.rounds_b),
                relation_text(f)};
  page.sections = {{"answer", "Answer"},
                   {"real", "Is it real?"},
                   {"points", "All comparisons"},
                   {"full", "In full"}};
  page.body = html_section("answer", "Answer", answer_of(report)) +
              html_section("real", "Is it real?", changes.page) +
              html_section("points", "All comparisons", table_of(f)) +
              html_section("full", "In full: differences, noise, gates", in_full(report));
  page.report = json_text(compare_document(report), -1);
  page.pictures = json_text(
      {{"name", names_of(f)}, {"points", points_of(f)}, {"compare", std::move(changes.data)}}, -1);
  write_html(out, page);
}

}  // namespace benchbench
