#include <fmt/format.h>

#include "harness/report/html/run_drawn.h"
#include "harness/report/tables/substitution_table.h"

namespace benchbench {

Drawn drawn_substitution(const ReportInput& in) {
  const Findings& f = in.findings;
  if (!f.substitutions)
    return {nullptr,
            html_absent("What each component costs was not measured: run with --substitute.")};
  const Substitutions& s = *f.substitutions;
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  HtmlFigure figure{
      "substitution", 0, 0, "What would a step save if one component were free?", "", {}};
  figure.values = {"",
                   "Saved by freeing one component",
                   false,
                   {{"component", "", false},
                    {"saved per step"},
                    {"share"},
                    {"95 %", "", false},
                    {"remark", "", false}},
                   {}};
  for (const Recovered& r : s.components) {
    if (!r.ms) continue;
    nlohmann::ordered_json row{{"component", name_of(r.component)}};
    row.update(drawn_estimate(*r.ms));
    row["severity"] = name_of(r.severity);
    row["text"] = ms_with_interval(*r.ms);
    rows.push_back(std::move(row));
  }
  for (const SubstitutionRow& row : substitution_rows(s))
    figure.values.rows.push_back(
        {{row.component}, {row.recovers}, {row.share}, {row.interval}, {row.remark}});
  if (rows.empty()) return {nullptr, html_absent(substitution_words(s))};
  std::string title = substitution_title(s, f), words = substitution_words(s);
  title.back() = '.';  // a colon, where a table follows
  if (!words.empty() && words.front() >= 'a' && words.front() <= 'z')
    words.front() = static_cast<char>(words.front() - 'a' + 'A');
  figure.how = fmt::format("{} Components overlap, so they do not add up. {}", title, words);
  nlohmann::ordered_json data{
      {"point", f.points[s.point].name},
      {"step_ms", s.step_ms ? drawn_number(s.step_ms->value) : nlohmann::ordered_json()},
      {"rows", std::move(rows)}};
  return {std::move(data), html_figure(figure)};
}

}  // namespace benchbench
