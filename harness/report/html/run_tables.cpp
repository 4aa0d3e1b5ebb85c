#include "harness/report/html/run_tables.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/analysis/rules/judged_trials.h"
#include "harness/report/describe/terms.h"
#include "harness/report/html/drawn.h"
#include "harness/report/html/sort_number.h"
#include "harness/report/tables/point_columns.h"
#include "harness/report/text/cells.h"
#include "harness/report/text/notes.h"
#include "harness/report/words/alarm_words.h"
#include "harness/report/words/surroundings.h"

namespace benchbench {
namespace {

std::string filter_of(std::string_view table, std::string_view what) {
  return fmt::format(
      "<p class=\"filter\"><label>Filter {1}: <input type=\"search\" data-for=\"{0}\"></label> "
      "<output data-count=\"{0}\"></output></p>\n",
      table, what);
}

std::string meaning_of(std::string_view title) {
  const auto found = std::ranges::find_if(terms(), [&](const Term& t) { return t.word == title; });
  return found == terms().end() ? "" : std::string(found->text);
}

HtmlCell cell_of(const FilledColumn& column, std::size_t row) {
  const std::string& text = column.cells[row];
  if (column.column->title == "status" && text != kNotMeasured) return status_cell_of(text);
  return {text, column.column->text ? std::nullopt : sort_number(text)};
}

std::vector<HtmlCell> cells_of(const ReportInput& in, const TrialRecord& r) {
  const Judgement judged = in.findings.judged->judgement_of(r);
  const WindowFacts& w = r.facts.window;
  const auto log = log_rate(r.facts);
  const std::optional<double> rate = log ? std::optional(rate_of(r)) : std::nullopt;
  const std::optional<double> wait =
      w.get_blocked.n > 0 ? std::optional(w.get_blocked.mean * 1e-6) : std::nullopt;
  std::string why;
  for (const Reason& reason : judged.reasons)
    why += fmt::format("{}{}{}", why.empty() ? "" : "; ",
                       reason.rule.empty() ? "" : reason.rule + " ", headline_of(reason.text));
  return {number_cell(std::to_string(r.sequence + 1), static_cast<double>(r.sequence + 1)),
          {trial_name(in.plan, r.trial)},
          number_cell(std::to_string(r.planned.round + 1), r.planned.round + 1),
          number_cell(rate ? human_count(*rate) : kNotMeasured, rate),
          number_cell(wait ? ms_text(*wait) : kNotMeasured, wait),
          number_cell(w.ns > 0 ? ms_text(static_cast<double>(w.ns) * 1e-6) : kNotMeasured,
                      w.ns > 0 ? std::optional(static_cast<double>(w.ns)) : std::nullopt),
          number_cell(w.steps > 0 ? human_count(static_cast<double>(w.steps)) : kNotMeasured,
                      w.steps > 0 ? std::optional(static_cast<double>(w.steps)) : std::nullopt),
          status_cell_of(name_of(judged.status)),
          {why}};
}

std::string list_of(const std::vector<std::string>& lines) {
  std::string out = "<ul>\n";
  for (const std::string& line : lines) out += fmt::format("<li>{}</li>\n", html(line));
  return out + "</ul>\n";
}

std::string note_of(const Note& note) {
  std::string out = fmt::format("<li{}>{}", note.bad ? " class=\"bad\"" : "", html(note.text));
  if (!note.details.empty()) {
    out += "<details><summary>Details</summary><pre tabindex=\"0\">";
    for (const std::string& line : note.details) out += html(line) + "\n";
    out += "</pre></details>";
  }
  return out + "</li>\n";
}

}  // namespace

std::string points_section(const ReportInput& in) {
  HtmlTable table{"points-table", "All points", true, {}, {}};
  auto columns = filled_columns(in.findings, in.plan);
  std::erase_if(columns, [](const FilledColumn& c) { return c.empty; });
  for (const FilledColumn& c : columns)
    table.columns.push_back({std::string(c.column->title), std::string(c.column->subtitle),
                             !c.column->text, meaning_of(c.column->title)});
  for (std::size_t row = 0; row < in.findings.points.size(); ++row) {
    auto& cells = table.rows.emplace_back();
    for (const FilledColumn& c : columns) cells.push_back(cell_of(c, row));
    table.row_ids.push_back(fmt::format("row-{}", row));
  }
  if (columns.empty())
    return html_section("points", "Points", html_absent("No point has anything to tell."));
  return html_section("points", "Points",
                      "<p>± is half of a 95 % interval over the rounds; * is the setting to use; "
                      "what was not measured is \"-\".</p>\n" +
                          filter_of(table.id, "points") + html_table(table));
}

std::string trials_section(const ReportInput& in) {
  if (in.records.empty()) return html_section("trials", "Trials", html_absent("No trial ran."));
  HtmlTable table{"trials-table",
                  "All trials, in the order they ran",
                  true,
                  {{"trial", ""},
                   {"of", "", false},
                   {"round", ""},
                   {"rate", "samples/s"},
                   {"wait", "per step", true, meaning_of("wait")},
                   {"window", ""},
                   {"steps", ""},
                   {"status", "", false, meaning_of("status")},
                   {"why", "", false}},
                  {}};
  for (const TrialRecord& r : in.records) table.rows.push_back(cells_of(in, r));
  return html_section("trials", "Trials",
                      filter_of(table.id, "trials") + html_table(table) +
                          "<p class=\"print-only\">The table of trials is left out in print; "
                          "the file has it.</p>\n");
}

std::string notes_section(const ReportInput& in) {
  std::string out;
  const std::vector<Note> notes = notes_of(in.findings, in.plan);
  if (notes.empty())
    out += "<p>No rule fired, and no trial is left out.</p>\n";
  else {
    out += "<ul>\n";
    for (const Note& note : notes) out += note_of(note);
    out += "</ul>\n";
  }
  std::vector<std::string> alarms;
  for (const Alarm& alarm : in.findings.alarms)
    alarms.push_back(fmt::format("{} ({}): {}", name_of(alarm.kind), name_of(alarm.state),
                                 alarm_words(alarm, in.plan)));
  if (!alarms.empty()) out += "<h3>Alarms</h3>\n" + list_of(alarms);
  return html_section("notes", "Rules and alarms", out);
}

std::string environment_section(const ReportInput& in) {
  std::string out = "<dl>\n";
  for (const auto& [name, text] : surroundings_of(in.findings, in.plan, in.run_folder))
    out += fmt::format("<dt>{}</dt><dd>{}</dd>\n", html(name), html(text));
  return html_section("environment", "Environment", out + "</dl>\n");
}

std::string definitions_section() {
  std::string out = "<details><summary>What the words of this page mean</summary>\n<dl>\n";
  for (const Term& term : terms())
    out += fmt::format("<dt>{} <span class=\"unit\">{}</span></dt><dd>{}</dd>\n", html(term.word),
                       html(term.kind), html(term.text));
  return html_section("words", "Definitions", out + "</dl></details>\n");
}

}  // namespace benchbench
