// A page to look at: one file that opens in any browser, without a network. What it says is text of
// the program, and only the charts below the first one are drawn by a script.
#include <fmt/format.h>

#include <ostream>

#include "harness/analysis/conclusion/answer.h"
#include "harness/report/conclusion/conclusion_words.h"
#include "harness/report/external/rank_table.h"
#include "harness/report/fields/json_maker.h"
#include "harness/report/html/page_frame.h"
#include "harness/report/html/run_drawn.h"
#include "harness/report/html/run_tables.h"
#include "harness/report/machines/report_document.h"
#include "harness/report/text/notes.h"
#include "harness/report/words/surroundings.h"
#include "harness/report/words/title.h"

namespace benchbench {
namespace {

std::string conclusion_list(const ReportInput& in) {
  std::string out = "<dl class=\"conclusion\">\n";
  for (const ConclusionPart& part : conclusion_parts(in.findings, in.plan))
    out += fmt::format("<dt>{}</dt><dd>{}</dd>\n", html(part.label), html(part.text));
  return out + "</dl>\n";
}

std::string noise_of(const ReportInput& in) {
  const std::string noise = wraps_script(in.plan) ? noise_line(in.findings) : "";
  return noise.empty() ? "" : fmt::format("<p class=\"noise\">{}</p>\n", html(noise));
}

std::string actions(bool traced) {
  std::string out =
      "<div class=\"actions\"><button type=\"button\" id=\"save-json\" "
      "hidden>Save as JSON</button>";
  if (traced)
    out +=
        " <button type=\"button\" id=\"save-trace\" hidden>Save trace</button> <span>Drag the "
        "saved file into ui.perfetto.dev, which shows it and keeps it in your browser.</span>";
  return out + "</div>\n";
}

nlohmann::ordered_json points_of(const Findings& f) {
  nlohmann::ordered_json points = nlohmann::ordered_json::array();
  const std::vector<std::uint32_t> shown = shown_points(f);
  for (const PointFindings& p : f.points) {
    const bool use = shown.size() > 1 && shown[1] == p.point;
    points.push_back({{"index", p.point},
                      {"name", p.name},
                      {"status", drawn_point(f, p.point)["status"]},
                      {"side", side_word(p)},
                      {"base", p.point == 0},
                      {"use", use}});
  }
  return points;
}

std::vector<std::string> about_of(const ReportInput& in) {
  std::vector<std::string> lines{run_line(in.findings, in.plan, !wraps_script(in.plan))};
  for (std::string& line : title_lines(in.findings, in.plan, true))
    lines.push_back(std::move(line));
  return lines;
}

std::string ranks_of(const Plan& plan) {
  if (plan.ranks.size() < 2) return "";
  HtmlTable table{"", rank_title(plan), false, {}, {}};
  for (const TableColumn& column : rank_columns(plan)) {
    table.columns.push_back({column.title, column.subtitle});
    table.rows.resize(column.cells.size());
    for (std::size_t row = 0; row < column.cells.size(); ++row)
      table.rows[row].push_back({column.cells[row]});
  }
  const std::string spread = rank_spread_words(plan);
  return "<h3>Ranks</h3>\n" + html_table(table) +
         (spread.empty() ? "" : "<p>" + html(spread) + "</p>\n");
}

// The members of the data, and what the sections hold.
struct Body {
  nlohmann::ordered_json data;
  std::string html;
  std::string add(const char* member, Drawn drawn) {
    data[member] = std::move(drawn.data);
    return std::move(drawn.page);
  }
};

Body body_of(const ReportInput& in) {
  Body b;
  const std::vector<DrawnTrial> trials = drawn_trials(in);
  b.data["name"] = in.findings.scenario;
  b.data["points"] = points_of(in.findings);
  if (!in.trace.empty()) b.data["trace"] = in.trace;
  b.html += html_section("answer", "Answer",
                         conclusion_list(in) + noise_of(in) + times_figure(in) + ranks_of(in.plan) +
                             actions(!in.trace.empty()));
  std::string real = b.add("ratio", drawn_ratio(in));
  real += b.add("anchor", drawn_anchor(in));
  b.html += html_section("real", "Is it real?", real);
  std::string time = b.add("step", drawn_step(in));
  time += b.add("costs", drawn_costs(in));
  time += b.add("substitution", drawn_substitution(in));
  time += b.add("axes", drawn_axes(in));
  time += b.add("distribution", drawn_distribution(in));
  time += b.add("series", drawn_step_series(in, trials));
  time += b.add("probes", drawn_probes(in, trials));
  b.html += html_section("time", "Where does the time go?", time);
  b.html += points_section(in) + trials_section(in) + settings_section(in) + notes_section(in) +
            environment_section(in) + definitions_section();
  return b;
}

// The tables of trials and of rules have all that is NOISY, by the records.
void write_html_page(std::ostream& out, const ReportInput& in) {
  const Findings shown = hide_noise(in.findings, in.plan);
  Body body =
      body_of({shown, in.plan, in.records, in.run_folder, in.style, in.read_series, in.trace});
  HtmlPage page;
  page.title = in.findings.scenario;
  page.question = in.findings.question;
  page.about = about_of(in);
  page.sections = {{"answer", "Answer"},
                   {"real", "Is it real?"},
                   {"time", "Where does the time go?"},
                   {"points", "Points"},
                   {"trials", "Trials"},
                   {"settings", "Settings"},
                   {"notes", "Rules and alarms"},
                   {"environment", "Environment"},
                   {"words", "Definitions"}};
  page.body = std::move(body.html);
  page.report = json_text(report_document(in), -1);
  page.pictures = json_text(body.data, -1);
  write_html(out, page);
}

}  // namespace

extern constinit const ReportFormat html_format{
    "--html", "write a page for a browser: one file, no network", write_html_page, true};

}  // namespace benchbench
