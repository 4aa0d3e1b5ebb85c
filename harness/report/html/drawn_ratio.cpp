#include <fmt/format.h>

#include "harness/report/html/run_drawn.h"
#include "harness/report/text/cells.h"

namespace benchbench {
namespace {

std::string interval_text(const Estimate& e) {
  const auto ratio = [](double v) { return fmt::format("{:.{}f}x", v, v < 9.995 ? 2 : 1); };
  return e.n < 2 ? ratio(e.value)
                 : fmt::format("{} ({} to {})", ratio(e.value), ratio(e.low), ratio(e.high));
}

nlohmann::ordered_json row_of(const Findings& f, std::uint32_t point) {
  const OverBase& over = f.over_base[point];
  nlohmann::ordered_json row = drawn_point(f, point);
  row["shown"] = name_of(over.shown);
  row.update(drawn_estimate(*over.ratio));
  row["text"] = interval_text(*over.ratio);
  row["rounds"] = nlohmann::ordered_json::array();
  for (const auto& [round, ratio] : over.by_round)
    row["rounds"].push_back({round + 1, drawn_number(ratio)});
  return row;
}

std::vector<HtmlCell> cells_of(const Findings& f, std::uint32_t point) {
  const OverBase& over = f.over_base[point];
  std::string rounds;
  for (const auto& [round, ratio] : over.by_round)
    rounds += fmt::format("{}{:.3f}", rounds.empty() ? "" : ", ", ratio);
  return {name_cell_of(f, point),
          {interval_text(*over.ratio)},
          {std::string(name_of(over.shown))},
          {rounds}};
}

std::string floor_words(const Findings& f) {
  if (!f.aa_floor) return "What identical trials differ by was not measured.";
  return fmt::format(
      "The band is what 95 of 100 pairs of identical trials of a round differ by less than: {}.",
      difference_text(f.aa_floor->value));
}

std::string_view rate_word(Mode mode) {
  return mode == Mode::pipeline ? "together"
         : mode == Mode::loader ? "of the loader alone"
                                : "of the trainer alone";
}

}  // namespace

Drawn drawn_ratio(const ReportInput& in) {
  const Findings& f = in.findings;
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  HtmlFigure figure{"ratio", 0, 0, "Is a point faster than the base, and by how much?", "", {}};
  figure.values = {"",
                   "Rate over the base",
                   false,
                   {{"point", "", false},
                    {"rate over the base", "", false},
                    {"shown", "", false},
                    {"single rounds", "", false}},
                   {}};
  for (const std::uint32_t point : drawn_points(f)) {
    if (point == 0 || point >= f.over_base.size() || !f.over_base[point].ratio) continue;
    rows.push_back(row_of(f, point));
    figure.values.rows.push_back(cells_of(f, point));
  }
  if (rows.empty())
    return {nullptr, html_absent(f.points.size() < 2
                                     ? "There is one point, so nothing is compared with it."
                                     : "No point has a usable round in common with the base.")};
  figure.how = fmt::format(
      "Samples per second {}, over the base, paired by round: the mean, its 95 % interval, and "
      "each round as a dot. {} {}",
      rate_word(f.compared_mode), floor_words(f), left_out_words(f));
  nlohmann::ordered_json data{
      {"mode", name_of(f.compared_mode)},
      {"floor", f.aa_floor ? drawn_number(f.aa_floor->value) : nlohmann::ordered_json()},
      {"rows", std::move(rows)}};
  return {nlohmann::ordered_json::array({std::move(data)}), html_figure(figure)};
}

Drawn drawn_anchor(const ReportInput& in) {
  const Findings& f = in.findings;
  if (f.anchor_runs.size() < 2)
    return {nullptr,
            html_absent("No trial was repeated, so that drift of the machine cannot be seen.")};
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  HtmlFigure figure{"anchor", 0, 0, "Did the machine change while it measured?", "", {}};
  figure.values = {"",
                   "Runs of the same trial",
                   false,
                   {{"trial"}, {"round"}, {"rate over the median"}, {"status", "", false}},
                   {}};
  for (const AnchorRun& run : f.anchor_runs) {
    const std::string share = fmt::format("{:.3f}", run.ratio);
    rows.push_back(
        {{"order", run.sequence + 1},
         {"round", run.round + 1},
         {"ratio", drawn_number(run.ratio)},
         {"status", name_of(run.status)},
         {"text", fmt::format("trial {}: {} times the median", run.sequence + 1, share)}});
    figure.values.rows.push_back({{std::to_string(run.sequence + 1)},
                                  {std::to_string(run.round + 1)},
                                  {share},
                                  status_cell_of(name_of(run.status))});
  }
  figure.how =
      "The same trial, again and again between the others, in the order in which trials ran: its "
      "rate over the median of all its runs. A slope is drift; "
      "what a single run is off by is noise.";
  return {{{"rows", std::move(rows)}}, html_figure(figure)};
}

}  // namespace benchbench
