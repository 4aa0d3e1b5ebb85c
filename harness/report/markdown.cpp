// A page for people: no text of the run is read as markup, and it is at most 1 MiB, more than which
// GitHub's summary of a job does not take. What is beyond is left out from its end, and said.
#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <sstream>

#include "harness/analysis/conclusion/answer.h"
#include "harness/core/visible_text.h"
#include "harness/report/conclusion/conclusion_words.h"
#include "harness/report/external/rank_table.h"
#include "harness/report/machines/markdown_text.h"
#include "harness/report/tables/point_columns.h"
#include "harness/report/tables/substitution_table.h"
#include "harness/report/text/cells.h"
#include "harness/report/text/display_text.h"
#include "harness/report/text/formats.h"
#include "harness/report/text/notes.h"
#include "harness/report/words/surroundings.h"
#include "harness/report/words/title.h"

namespace benchbench {
namespace {

std::string escaped(std::string_view text) { return escaped_markdown(text); }

void write_table(std::ostream& out, const Findings& findings, const Plan& plan) {
  auto columns = filled_columns(findings, plan);
  std::erase_if(columns, [](const FilledColumn& c) { return c.empty; });
  if (columns.empty()) return;
  std::string titles = "|", rule = "|";
  for (const auto& c : columns) {
    titles += fmt::format(
        " {}{} |", escaped(c.column->title),
        c.column->subtitle.empty() ? "" : fmt::format(" ({})", escaped(c.column->subtitle)));
    rule += c.column->text ? " :-- |" : " --: |";
  }
  out << titles << '\n' << rule << '\n';
  for (std::size_t row = 0; row < findings.points.size(); ++row) {
    std::string line = "|";
    for (const auto& c : columns) line += fmt::format(" {} |", escaped(c.cells[row]));
    out << line << '\n';
  }
  out << '\n';
}

void write_ranks(std::ostream& out, const Plan& plan) {
  if (plan.ranks.size() < 2) return;
  out << escaped(rank_title(plan))
      << "\n\n| rank | loader L | trainer T | script F | waits (of F) | |\n"
         "| :-- | --: | --: | --: | --: | :-- |\n";
  const std::vector<TableColumn> columns = rank_columns(plan);
  for (std::size_t row = 0; row < plan.ranks.size(); ++row) {
    out << '|';
    for (const TableColumn& c : columns)
      out << fmt::format(" {} |", escaped(c.cells[row].substr(std::min(
                                      c.cells[row].find_first_not_of(' '), c.cells[row].size()))));
    out << '\n';
  }
  const std::string spread = rank_spread_words(plan);
  out << '\n' << (spread.empty() ? "" : escaped(spread) + "\n\n");
}

void write_step(std::ostream& out, const Findings& findings, const Plan& plan) {
  if (!findings.identity) return;
  const StepIdentity& step = *findings.identity;
  const std::string of =
      wraps_script(plan) ? "" : " of " + escaped(findings.points[step.point].name);
  out << "One step" << of << ", " << ms_text(step.step_ms) << ":\n\n"
      << "| part | time | share |\n| :-- | --: | --: |\n";
  for (const auto& [name, part_ms] : step.parts)
    out << fmt::format("| {} | {} | {:.1f} % |\n", escaped(std::string(step_part(name, plan))),
                       ms_text(part_ms), 100 * part_ms / step.step_ms);
  out << '\n';
  if (!step.device_parts.empty()) out << escaped(device_words(step)) << "\n\n";
}

void write_substitutions(std::ostream& out, const Findings& findings) {
  if (!findings.substitutions) return;
  const Substitutions& s = *findings.substitutions;
  out << escaped(substitution_title(s, findings))
      << "\n\n| component | saved per step | share | 95 % | |\n| :-- | --: | --: | :-- | :-- |\n";
  for (const SubstitutionRow& row : substitution_rows(s))
    out << fmt::format("| {} | {} | {} | {} | {} |\n", row.component, row.recovers, row.share,
                       row.interval, row.remark);
  out << '\n' << escaped(substitution_words(s)) << "\n\n";
}

// In a fence that no line of it can end.
void write_details(std::ostream& out, const std::vector<std::string>& lines) {
  if (lines.empty()) return;
  std::string fence = "```";
  while (std::ranges::any_of(
      lines, [&](const std::string& line) { return line.find(fence) != std::string::npos; }))
    fence += '`';
  out << "\n  " << fence << "text\n";
  for (const std::string& line : lines)
    for (const std::string& part : split_lines(visible_lines(line))) out << "  " << part << '\n';
  out << "  " << fence << "\n\n";
}

void write_notes(std::ostream& out, const Findings& findings, const Plan& plan) {
  const auto notes = notes_of(findings, plan, !wraps_script(plan));
  for (const Note& n : notes) {
    out << "- " << escaped(n.text) << '\n';
    write_details(out, n.details);
  }
  if (!notes.empty()) out << '\n';
}

void write_page(std::ostream& out, const ReportInput& in) {
  const Findings findings = hide_noise(in.findings, in.plan);
  out << "## " << escaped(findings.scenario) << "\n\n";
  if (!findings.question.empty()) out << escaped(findings.question) << "\n\n";
  for (const ConclusionPart& part : conclusion_parts(findings, in.plan))
    out << "- **" << part.label << "** " << escaped(part.text) << '\n';
  out << '\n' << escaped(run_line(findings, in.plan, !wraps_script(in.plan))) << "\n\n";
  for (const std::string& line : title_lines(findings, in.plan, true))
    out << "- " << escaped(line) << '\n';
  out << '\n';
  write_table(out, findings, in.plan);
  write_ranks(out, in.plan);
  write_step(out, findings, in.plan);
  write_substitutions(out, findings);
  write_notes(out, findings, in.plan);
  for (const auto& [name, text] : surroundings_of(findings, in.plan, ""))
    out << "- " << name << ": " << escaped(text) << '\n';
}

}  // namespace

extern constinit const ReportFormat markdown_format{
    "--markdown", "write a page for an issue or a job's summary",
    [](std::ostream& out, const ReportInput& in) {
      std::ostringstream page;
      write_page(page, in);
      out << bounded_markdown(page.str(), kMarkdownBytes);
    }};

}  // namespace benchbench
