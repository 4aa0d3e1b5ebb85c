#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <ostream>
#include <sstream>

#include "harness/analysis/conclusion/answer.h"
#include "harness/analysis/conclusion/conclusion.h"
#include "harness/analysis/faults/external_findings.h"
#include "harness/core/visible_text.h"
#include "harness/report/conclusion/conclusion_words.h"
#include "harness/report/external/job_words.h"
#include "harness/report/external/rank_table.h"
#include "harness/report/tables/substitution_table.h"
#include "harness/report/terminal/brief_lines.h"
#include "harness/report/terminal/paint.h"
#include "harness/report/terminal/points_table.h"
#include "harness/report/text/cells.h"
#include "harness/report/text/formats.h"
#include "harness/report/text/notes.h"
#include "harness/report/text/text_table.h"
#include "harness/report/words/surroundings.h"
#include "harness/report/words/title.h"

namespace benchbench {
namespace {

constexpr std::size_t kBar = 40;
// Lines of a report without --detail, 100 columns wide: of a few points, and of a sweep.
constexpr std::size_t kFewPoints = 4, kLinesOfFew = 25, kLinesOfSweep = 45;
// Notes have so many lines at least, where they need them.
constexpr std::size_t kNotesOfFew = 1, kNotesOfSweep = 8;

std::size_t height_of_text(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

// Each section is text that ends with a break; empty where there is nothing to say.
class Terminal {
 public:
  explicit Terminal(const ReportInput& in)
      : findings_(in.findings),
        plan_(in.plan),
        run_folder_(in.run_folder),
        style_(in.style),
        paint_{in.style.colour} {
    style_.width = std::max(kLeastWidth, style_.width);
  }

  void write(std::ostream& out) const {
    const std::string above = heading(), below = surroundings(), last = conclusion();
    const std::string more =
        ranks() + script_step() + (style_.detail ? step() : "") + substitutions();
    const std::size_t fixed = height_of_text(above) + height_of_text(more) + height_of_text(below) +
                              height_of_text(last) + 3;
    const std::string doubts = problems(fixed);
    const std::size_t taken = fixed + height_of_text(doubts);
    out << above << '\n';
    const std::string rows = table(lines_at_most() > taken ? lines_at_most() - taken : 0);
    out << rows << (rows.empty() ? "" : "\n") << more << doubts << below << '\n' << last;
  }

 private:
  std::string heading() const {
    const std::string question = findings_.question.empty() ? "" : ": " + findings_.question;
    std::string title = wrapped(findings_.scenario + question, style_.width);
    if (title.starts_with(findings_.scenario))
      title = paint_(kBold, findings_.scenario) + title.substr(findings_.scenario.size());
    std::string text =
        title + '\n' + dim(wrapped(run_line(findings_, plan_, style_.detail), style_.width));
    for (const std::string& line : title_lines(findings_, plan_, style_.detail))
      text += dim(wrapped(line, style_.width, 2));
    return text;
  }

  std::string table(std::size_t room) const {
    std::string text;
    if (is_without_stretch(findings_, plan_)) return text;
    for (const std::string& line : points_table(findings_, plan_, style_, room))
      text += line + '\n';
    return text;
  }

  std::string ranks() const {
    if (plan_.ranks.size() < 2) return "";
    std::ostringstream out;
    out << wrapped(rank_title(plan_), style_.width) << '\n';
    TextTable table;
    for (TableColumn& column : rank_columns(plan_)) table.add(std::move(column));
    table.write(out, style_.width, [](std::size_t, std::string line) { return line; });
    const std::string spread = rank_spread_words(plan_);
    return out.str() + (spread.empty() ? "" : dim("  " + wrapped(spread, style_.width, 2, 2))) +
           '\n';
  }

  std::string step() const {
    if (!findings_.identity) return "";
    const StepIdentity& step = *findings_.identity;
    const std::string of = wraps_script(plan_) ? "" : " of " + findings_.points[step.point].name;
    Parts parts;
    for (const auto& [part, ms] : step.parts) parts.emplace_back(step_part(part, plan_), ms);
    std::string text = divided_step("One step" + of, step.step_ms, parts);
    if (!step.device_parts.empty()) text += wrapped(device_words(step), style_.width, 2, 2) + '\n';
    return text + tails() + '\n';
  }

  // A wrapped script's step, of all rounds, with what no part of it explains.
  std::string script_step() const {
    const ExternalPoint* seen = wraps_script(plan_) ? external_subject(findings_) : nullptr;
    if (!seen) return "";
    const PointFindings& p = findings_.points[seen->point];
    const Value* name = plan_.scenario.base.find("loader.call");
    const Parts rows = step_rows(p, seen, name ? name->text() : "");
    return rows.empty() ? "" : divided_step("A step", p.step_ms->value, rows) + '\n';
  }

  using Parts = std::vector<std::pair<std::string, double>>;
  std::string divided_step(const std::string& title, double step_ms, const Parts& parts) const {
    std::ostringstream out;
    out << wrapped(fmt::format("{}, {}:", title, ms_text(step_ms)), style_.width) << '\n';
    TextTable table;
    TableColumn name{"", "", Align::left, {}}, time{"", "", Align::right, {}},
        share{"", "", Align::right, {}}, bar{"", "", Align::left, {}};
    for (const auto& [part, part_ms] : parts) {
      name.cells.push_back("  " + part);
      time.cells.push_back(ms_text(part_ms));
      share.cells.push_back(fmt::format("{:.1f} %", 100 * part_ms / step_ms));
    }
    const std::size_t room =
        style_.width -
        std::min<std::size_t>(style_.width - 10, 2 + table_width({name, time, share}));
    for (const auto& [part, part_ms] : parts)
      bar.cells.push_back(bar_of(part_ms / step_ms, std::min(kBar, room)));
    for (auto* column : {&name, &time, &share, &bar}) table.add(std::move(*column));
    table.write(out, style_.width, [](std::size_t, std::string line) { return line; }, false);
    return out.str();
  }

  std::string substitutions() const {
    if (!findings_.substitutions) return "";
    const Substitutions& s = *findings_.substitutions;
    std::ostringstream out;
    out << wrapped(substitution_title(s, findings_), style_.width) << '\n';
    TextTable table;
    TableColumn name{"  component", "", Align::left, {}},
        wins{"saved per step", "", Align::right, {}}, share{"share", "", Align::right, {}},
        interval{"95 %", "", Align::left, {}}, remark{"", "", Align::left, {}};
    for (SubstitutionRow& row : substitution_rows(s)) {
      name.cells.push_back("  " + row.component);
      wins.cells.push_back(std::move(row.recovers));
      share.cells.push_back(std::move(row.share));
      interval.cells.push_back(std::move(row.interval));
      remark.cells.push_back(std::move(row.remark));
    }
    for (auto* column : {&name, &wins, &share, &interval, &remark}) table.add(std::move(*column));
    table.write(out, style_.width, [](std::size_t, std::string line) { return line; });
    return out.str() + dim("  " + wrapped(substitution_words(s), style_.width, 2, 2)) + '\n';
  }

  // `fixed` lines are taken by all but the table, which comes first, and these.
  std::string problems(std::size_t fixed) const {
    std::string text;
    for (const Note& n : notes(fixed)) text += paint_(n.bad ? kRed : kYellow, n.text) + '\n';
    return text.empty() || !style_.detail ? text : text + '\n';
  }

  std::vector<Note> notes(std::size_t fixed) const {
    if (!style_.detail) {
      const std::size_t rows = height_of_text(table(SIZE_MAX)), used = fixed + rows;
      const std::size_t room = used < lines_at_most() ? lines_at_most() - used : 0;
      return brief_notes(findings_, plan_, style_.width,
                         std::max(room, is_small() ? kNotesOfFew : kNotesOfSweep));
    }
    std::vector<Note> all = notes_of(findings_, plan_);
    for (Note& n : all) n.text = with_details(n, style_.width, SIZE_MAX);
    return all;
  }

  std::string surroundings() const {
    std::string text;
    const auto all = style_.detail ? surroundings_of(findings_, plan_, run_folder_)
                                   : brief_surroundings(findings_, plan_, run_folder_);
    for (const auto& [name, line] : all)
      text +=
          paint_(kDim, fmt::format("{:<10}", name)) + wrapped(line, style_.width, 10, 10) + '\n';
    return text;
  }

  std::string conclusion() const {
    std::string text;
    for (const std::string& line : conclusion_lines(findings_, plan_, style_.width))
      text += paint_(kBold, line) + '\n';
    return text;
  }

  // What is said of one script is not cut for want of lines.
  bool is_small() const {
    return findings_.points.size() <= kFewPoints && !findings_.substitutions &&
           !wraps_script(plan_);
  }
  // A narrower terminal needs more lines for the same words.
  std::size_t lines_at_most() const {
    return (is_small() ? kLinesOfFew : kLinesOfSweep) * kPipeWidth /
           std::min<std::size_t>(kPipeWidth, style_.width);
  }
  std::string dim(std::string_view text) const { return paint_(kDim, text) + '\n'; }

  static std::size_t table_width(const std::vector<TableColumn>& columns) {
    TextTable table;
    for (const TableColumn& c : columns) table.add(c);
    std::size_t width = 0;
    for (const TableLine& line : table.lines(SIZE_MAX, false))
      width = std::max(width, display_width(line.text));
    return width;
  }

  // A whole block a part of `full`, the last one in eighths.
  static std::string bar_of(double share, std::size_t full) {
    constexpr std::array<std::string_view, 8> eighths{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    const auto parts = static_cast<std::size_t>(
        std::lround(std::clamp(share, 0.0, 1.0) * static_cast<double>(full) * 8));
    std::string bar;
    for (std::size_t i = 0; i < parts / 8; ++i) bar += "█";
    return bar + std::string(eighths[parts % 8]);
  }

  // How the waits of that point were spread; percentiles only where there were batches enough.
  std::string tails() const {
    const auto& wait = findings_.points[findings_.identity->point].exposed_wait;
    if (!wait) return "";
    const auto ms = [](double ns) { return ms_text(ns * 1e-6); };
    std::string text = fmt::format("wait of a step: median {}, ", ms(wait->p50));
    if (std::isfinite(wait->p99))
      text += fmt::format("p90 {}, p99 {}, ", ms(wait->p90), ms(wait->p99));
    return dim("  " + wrapped(text + fmt::format("largest {} ({})", ms(wait->max),
                                                 counted(wait->n, "step")),
                              style_.width, 2, 2));
  }

  const Findings& findings_;
  const Plan& plan_;
  const std::string& run_folder_;
  TerminalStyle style_;
  Paint paint_;
};

}  // namespace

extern constinit const ReportFormat terminal_format{
    "--terminal", "", [](std::ostream& out, const ReportInput& in) {
      std::ostringstream text;
      Terminal(in).write(text);
      // This shows what no layout has seen, too.
      out << (in.style.colour ? text.str() : visible_lines(text.str()));
    }};

}  // namespace benchbench
