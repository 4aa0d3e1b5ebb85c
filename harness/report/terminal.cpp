#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <ostream>

#include "harness/report/cells.h"
#include "harness/report/conclusion_words.h"
#include "harness/report/formats.h"
#include "harness/report/notes.h"
#include "harness/report/point_columns.h"
#include "harness/report/substitution_table.h"
#include "harness/report/surroundings.h"
#include "harness/report/text_table.h"

namespace benchbench {
namespace {

constexpr std::string_view kBold = "\x1b[1m", kDim = "\x1b[2m", kRed = "\x1b[31m", kYellow = "\x1b[33m",
                           kGreen = "\x1b[32m", kReset = "\x1b[0m";
constexpr std::size_t kBar = 40;

class Terminal {
 public:
  Terminal(std::ostream& out, const Findings& findings, const Plan& plan, TerminalStyle style)
      : out_(out), findings_(findings), plan_(plan), style_(style), width_(std::max(40u, style.width)) {}

  void heading() {
    out_ << painted(kBold, findings_.scenario);
    if (!findings_.question.empty()) out_ << ": " << findings_.question;
    out_ << '\n' << painted(kDim, run_line(findings_)) << "\n\n";
  }

  void table() {
    TextTable table;
    std::vector<std::string> unmeasured;
    for (FilledColumn& filled : filled_columns(findings_, plan_)) {
      const PointColumn& c = *filled.column;
      if (!filled.empty)
        table.add({std::string(c.title), std::string(c.subtitle), c.text ? Align::left : Align::right, std::move(filled.cells)});
      else if (!c.absence_tells)
        unmeasured.emplace_back(c.title);
    }
    if (findings_.points.empty()) return;
    table.write(out_, width_,
                [&](std::size_t row, std::string line) { return painted(row_colour(row), line); });
    legend(unmeasured);
  }

  void step() {
    if (!findings_.identity) return;
    const StepIdentity& step = *findings_.identity;
    out_ << "One step of " << findings_.points[step.point].name << ", " << ms_text(step.step_ms) << ":\n";
    TextTable table;
    TableColumn name{"", "", Align::left, {}}, time{"", "", Align::right, {}},
        share{"", "", Align::right, {}}, bar{"", "", Align::left, {}};
    for (const auto& [part, part_ms] : step.parts) {
      const double of_step = part_ms / step.step_ms;
      name.cells.push_back("  " + part);
      time.cells.push_back(ms_text(part_ms));
      share.cells.push_back(fmt::format("{:.1f} %", 100 * of_step));
      bar.cells.push_back(bar_of(of_step));
    }
    for (auto* column : {&name, &time, &share, &bar}) table.add(std::move(*column));
    table.write(
        out_, width_, [](std::size_t, std::string line) { return line; }, false);
    tails();
    out_ << '\n';
  }

  void substitutions() {
    if (!findings_.substitutions) return;
    const Substitutions& s = *findings_.substitutions;
    out_ << wrapped(substitution_title(s, findings_), width_) << '\n';
    TextTable table;
    TableColumn name{"  component", "", Align::left, {}}, wins{"saved per step", "", Align::right, {}},
        share{"share", "", Align::right, {}}, interval{"95 %", "", Align::left, {}},
        remark{"", "", Align::left, {}};
    for (SubstitutionRow& row : substitution_rows(s)) {
      name.cells.push_back("  " + row.component);
      wins.cells.push_back(std::move(row.recovers));
      share.cells.push_back(std::move(row.share));
      interval.cells.push_back(std::move(row.interval));
      remark.cells.push_back(std::move(row.remark));
    }
    for (auto* column : {&name, &wins, &share, &interval, &remark}) table.add(std::move(*column));
    table.write(out_, width_, [](std::size_t, std::string line) { return line; });
    out_ << painted(kDim, "  " + wrapped(substitution_words(s), width_, 2, 2)) << "\n\n";
  }

  void problems() {
    const auto notes = notes_of(findings_, plan_);
    for (const Note& n : notes) out_ << painted(n.bad ? kRed : kYellow, wrapped(n.text, width_, 2)) << '\n';
    if (!notes.empty()) out_ << '\n';
  }

  void surroundings(const std::string& run_folder) {
    for (const auto& [name, text] : surroundings_of(findings_, plan_, run_folder))
      out_ << painted(kDim, fmt::format("{:<10}", name)) << wrapped(text, width_, 10, 10) << '\n';
    out_ << '\n';
  }

  void conclusion() { out_ << painted(kBold, wrapped(conclusion_text(findings_), width_)) << '\n'; }

 private:
  std::string painted(std::string_view colour, std::string_view text) const {
    if (!style_.colour || colour.empty()) return std::string(text);
    return fmt::format("{}{}{}", colour, text, kReset);
  }

  std::string_view row_colour(std::size_t row) const {
    const PointFindings& p = findings_.points[row];
    if (p.status == Status::failed || p.status == Status::invalid) return kRed;
    if (p.status == Status::skipped || p.status == Status::aborted) return kDim;
    if (findings_.best == p.point && findings_.points.size() > 1) return kGreen;
    return p.status == Status::noisy ? kYellow : std::string_view();
  }

  void legend(const std::vector<std::string>& unmeasured) {
    std::string text;
    const auto add = [&](const std::string& part) { text += (text.empty() ? "" : "; ") + part; };
    const auto spread = [](const PointFindings& p) { return p.pipeline_rate && p.pipeline_rate->n > 1; };
    if (std::any_of(findings_.points.begin(), findings_.points.end(), spread))
      add("± is a 95 % interval over n rounds");
    const auto exact = [](const PointFindings& p) {
      const auto all = {&p.loader_rate, &p.trainer_rate, &p.pipeline_rate};
      return std::any_of(all.begin(), all.end(), [](const Measured* m) { return *m && spread_text(**m) == "exact"; });
    };
    if (std::any_of(findings_.points.begin(), findings_.points.end(), exact)) add("exact: the same in every round");
    if (findings_.best && findings_.points.size() > 1) add("* fastest, or cheapest within 2 % of it");
    const auto invalid = [](const PointFindings& p) {
      return std::any_of(p.mode_status.begin(), p.mode_status.end(),
                         [](const auto& s) { return s == Status::invalid; });
    };
    if (std::any_of(findings_.points.begin(), findings_.points.end(), invalid))
      add("(in brackets) INVALID, shown and used for nothing");
    const auto gap = [](const PointFindings& p) { return p.epoch_gap_ms.has_value(); };
    if (std::none_of(findings_.points.begin(), findings_.points.end(), gap))
      add("no epoch gap: told of loaders with their own epochs only");
    if (!unmeasured.empty()) add(fmt::format("not measured: {}", fmt::join(unmeasured, ", ")));
    if (!text.empty()) out_ << painted(kDim, wrapped(text, width_)) << '\n';
    out_ << '\n';
  }

  // A whole block a fortieth of the step, the last one in eighths.
  static std::string bar_of(double share) {
    constexpr std::array<std::string_view, 8> eighths{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    const auto parts = static_cast<std::size_t>(std::lround(std::clamp(share, 0.0, 1.0) * kBar * 8));
    std::string bar;
    for (std::size_t i = 0; i < parts / 8; ++i) bar += "█";
    return bar + std::string(eighths[parts % 8]);
  }

  // How the waits of that point were spread; percentiles only where there were batches enough.
  void tails() {
    const auto& wait = findings_.points[findings_.identity->point].exposed_wait;
    if (!wait) return;
    const auto ms = [](double ns) { return ms_text(ns * 1e-6); };
    std::string text = fmt::format("  wait of a step: median {}, ", ms(wait->p50));
    if (std::isfinite(wait->p99)) text += fmt::format("p90 {}, p99 {}, ", ms(wait->p90), ms(wait->p99));
    out_ << painted(kDim, text + fmt::format("largest {} ({} steps)", ms(wait->max), wait->n)) << '\n';
  }

  std::ostream& out_;
  const Findings& findings_;
  const Plan& plan_;
  TerminalStyle style_;
  std::size_t width_;
};

}  // namespace

extern constinit const ReportFormat terminal_format{
    "--terminal", "", [](std::ostream& out, const ReportInput& in) {
      Terminal terminal(out, in.findings, in.plan, in.style);
      terminal.heading();
      terminal.table();
      terminal.step();
      terminal.substitutions();
      terminal.problems();
      terminal.surroundings(in.run_folder);
      terminal.conclusion();
    }};

}  // namespace benchbench
