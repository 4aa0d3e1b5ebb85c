#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/analysis/rules/rules.h"
#include "harness/report/html/run_drawn.h"
#include "harness/report/text/cells.h"
#include "harness/series/log_histogram.h"

namespace benchbench {
namespace {

struct ShownTrial {
  std::uint32_t point;
  const TrialRecord* record;
};

std::vector<ShownTrial> shown_of(const ReportInput& in) {
  std::vector<ShownTrial> out;
  for (const std::uint32_t point : shown_points(in.findings))
    if (const TrialRecord* record = shown_trial(in, point)) out.push_back({point, record});
  return out;
}

nlohmann::ordered_json bins_of(const Bins& bins) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (const auto& [edge, count] : bins) {
    const std::int64_t to = edge + LogHistogram::width(LogHistogram::bin_of(edge));
    out.push_back({drawn_number(static_cast<double>(edge) * 1e-6),
                   drawn_number(static_cast<double>(to) * 1e-6), count});
  }
  return out;
}

// What such a step took, not what it took beyond the usual one.
nlohmann::ordered_json stalls_of(const Facts& facts, StallCause cause) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (const Stall& s : facts.window.stalls.longest)
    if (s.cause == cause) out.push_back(drawn_number(static_cast<double>(s.ns) * 1e-6));
  return out;
}

// Two bins of the histogram wide at least, so that one value everywhere is not told as a spread.
nlohmann::ordered_json line_of(const ReportInput& in, const ShownTrial& shown,
                               const Distribution& d, const Bins& bins, StallCause cause) {
  nlohmann::ordered_json line = drawn_point(in.findings, shown.point);
  line["trial"] = shown.record->sequence + 1;
  line["bins"] = bins_of(bins);
  line["p50"] = drawn_number(d.p50 * 1e-6);
  line["p50_text"] = ms_text(d.p50 * 1e-6);
  const bool tail = d.n >= kTailBatches;
  line["p99"] = tail ? drawn_number(d.p99 * 1e-6) : nlohmann::ordered_json();
  line["p99_text"] = tail ? ms_text(d.p99 * 1e-6) : "";
  line["stalls"] = stalls_of(shown.record->facts, cause);
  line["stall_text"] =
      line["stalls"].empty()
          ? ""
          : fmt::format("{} beyond the usual step", counted(line["stalls"].size(), "stall"));
  return line;
}

std::vector<HtmlCell> cells_of(const ReportInput& in, const ShownTrial& shown,
                               const Distribution& d) {
  const bool tail = d.n >= kTailBatches;
  return {
      name_cell_of(in.findings, shown.point),        {std::to_string(shown.record->sequence + 1)},
      {human_count(static_cast<double>(d.n))},       {ms_text(d.p50 * 1e-6)},
      {tail ? ms_text(d.p99 * 1e-6) : kNotMeasured}, {ms_text(d.max * 1e-6)}};
}

struct What {
  std::string_view name, question, how;
  Distribution WindowFacts::* distribution;
  Bins WindowFacts::* bins;
  StallCause cause;
};
constexpr What kWhats[] = {
    {"step", "How long are the trainer's steps?",
     "The trainer's own time of each step of one trial, without the wait for its batch",
     &WindowFacts::step, &WindowFacts::step_bins, StallCause::step},
    {"wait", "How long does the trainer wait for a batch?",
     "The wait before each step of one trial", &WindowFacts::get_blocked,
     &WindowFacts::get_blocked_bins, StallCause::get_blocked}};

void add_what(const ReportInput& in, const std::vector<ShownTrial>& shown, const What& what,
              Drawn& out) {
  nlohmann::ordered_json lines = nlohmann::ordered_json::array();
  HtmlTable values{"",
                   std::string(what.question),
                   false,
                   {{"point", "", false}, {"trial"}, {"steps"}, {"p50"}, {"p99"}, {"longest"}},
                   {}};
  for (const ShownTrial& s : shown) {
    const WindowFacts& window = s.record->facts.window;
    if ((window.*what.bins).empty()) continue;
    lines.push_back(line_of(in, s, window.*what.distribution, window.*what.bins, what.cause));
    values.rows.push_back(cells_of(in, s, window.*what.distribution));
  }
  if (lines.empty()) return;
  HtmlFigure figure{"distribution",   out.data.size(), 0, std::string(what.question), "",
                    std::move(values)};
  figure.how = fmt::format(
      "{}: how many steps took how long, on a logarithmic scale; the median and, from {} on, the "
      "99th percentile are marked, stalls by what they took beyond the usual step.",
      what.how, counted(kTailBatches, "step"));
  out.data.push_back(
      {{"what", what.name}, {"unit", "ms"}, {"log", true}, {"lines", std::move(lines)}});
  out.page += html_figure(figure);
}

}  // namespace

Drawn drawn_distribution(const ReportInput& in) {
  Drawn out{nlohmann::ordered_json::array(), ""};
  const std::vector<ShownTrial> shown = shown_of(in);
  for (const What& what : kWhats) add_what(in, shown, what, out);
  if (out.page.empty())
    out.page = html_absent(
        "No trial of loader and trainer together, of the base or the point to use, is VALID or "
        "NOISY and has the times of its steps.");
  return out;
}

}  // namespace benchbench
