#include "harness/report/terminal/points_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <tuple>

#include "harness/analysis/rules/rules.h"
#include "harness/report/tables/point_columns.h"
#include "harness/report/terminal/paint.h"
#include "harness/report/text/cells.h"
#include "harness/report/text/text_table.h"

namespace benchbench {
namespace {

// What a point delivered: together, else one side alone; 0 where nothing was measured.
double speed_of(const PointFindings& p) {
  for (const Measured* rate : {&p.pipeline_rate, &p.loader_rate, &p.trainer_rate})
    if (*rate) return (*rate)->value;
  return 0;
}

std::size_t slowest(const std::vector<PointFindings>& points) {
  std::size_t at = 0;
  for (std::size_t i = 0; i < points.size(); ++i)
    if (is_usable(points[i].status) && speed_of(points[i]) > 0 &&
        (!(speed_of(points[at]) > 0) || speed_of(points[i]) < speed_of(points[at])))
      at = i;
  return at;
}

int rank_of(Status status) {
  switch (status) {
    case Status::failed:
      return 1;
    case Status::invalid:
      return 2;
    case Status::aborted:
      return 3;
    case Status::noisy:
      return 4;
    case Status::valid:
      return 5;
    case Status::skipped:
      break;
  }
  return 6;
}

std::string_view row_colour(const Findings& f, std::size_t row) {
  const PointFindings& p = f.points[row];
  if (p.status == Status::failed || p.status == Status::invalid) return kRed;
  if (p.status == Status::skipped || p.status == Status::aborted) return kDim;
  if (f.best == p.point && f.points.size() > 1) return kGreen;
  return p.status == Status::noisy ? kYellow : std::string_view();
}

bool any_invalid(const PointFindings& p) {
  return std::ranges::any_of(p.mode_status, [](const auto& s) { return s == Status::invalid; });
}

bool any_exact(const PointFindings& p) {
  const auto rates = {&p.loader_rate, &p.trainer_rate, &p.pipeline_rate};
  return std::ranges::any_of(rates,
                             [](const Measured* m) { return *m && spread_text(**m) == "exact"; });
}

// The number of rounds that "±" is of, which is said here where no column says it. `bare`: wide
// ones are left out.
std::string spread_legend(const Findings& f, bool in_column, bool bare) {
  std::uint32_t least = ~0u, most = 0;
  for (const PointFindings& p : f.points)
    for (const Measured* rate : {&p.loader_rate, &p.trainer_rate, &p.pipeline_rate})
      if (const Measured& m = *rate;
          m && spread_text(*m).starts_with("±") && !(bare && is_wide(*m)))
        least = std::min(least, m->n), most = std::max(most, m->n);
  if (most < 2) return "";
  if (in_column) return "± is a 95 % interval over n rounds";
  return fmt::format("± is a 95 % interval over {}{}",
                     least < most && bare ? fmt::format("{} to ", least) : "",
                     counted(most, "round"));
}

// "the intervals of T and F are over a factor of three": those that are left out.
std::string wide_legend(const Findings& f) {
  std::vector<std::string_view> wide;
  for (const Metric& m : metrics())
    if (m.is_rate() && std::ranges::any_of(f.points, [&](const PointFindings& p) {
          return p.*m.estimate && is_wide(*(p.*m.estimate));
        }))
      wide.push_back(m.symbol);
  if (wide.empty()) return "";
  return fmt::format("the {} of {} {} over a factor of three: --detail",
                     wide.size() == 1 ? "interval" : "intervals", fmt::join(wide, " and "),
                     wide.size() == 1 ? "is" : "are");
}

class Table {
 public:
  Table(const Findings& findings, const Plan& plan, const TerminalStyle& style)
      : f_(findings),
        style_(style),
        columns_(filled_columns(findings, plan, style.detail)),
        wrapped_(wraps_script(plan)) {}

  std::vector<std::string> lines(const std::vector<std::size_t>& rows) const {
    TextTable table;
    for (const FilledColumn& c : columns_) {
      if (c.empty) continue;
      std::vector<std::string> cells;
      for (const std::size_t row : rows) cells.push_back(c.cells[row]);
      table.add({std::string(c.column->title), std::string(c.column->subtitle),
                 c.column->text ? Align::left : Align::right, std::move(cells)});
    }
    const Paint paint{style_.colour};
    std::vector<std::string> out;
    for (const TableLine& line : table.lines(style_.width))
      out.push_back(line.row == TableLine::kNoRow
                        ? line.text
                        : paint(row_colour(f_, rows[line.row]), line.text));
    if (const std::size_t left = f_.points.size() - rows.size(); left > 0)
      out.push_back(paint(kDim, fmt::format("{}: --detail", counted(left, "more point"))));
    const std::string text = legend();
    if (!text.empty()) out.push_back(paint(kDim, wrapped(text, style_.width)));
    return out;
  }

 private:
  std::string legend() const {
    std::string text;
    const auto add = [&](const std::string& part) {
      text += (text.empty() || part.empty() ? "" : "; ") + part;
    };
    const auto is_n = [](const FilledColumn& c) { return c.column->title == "n"; };
    const bool bare = wrapped_ && !style_.detail;
    add(spread_legend(f_, std::ranges::any_of(columns_, is_n), bare));
    if (bare) add(wide_legend(f_));
    if (std::ranges::any_of(f_.points, any_exact)) add("exact: the same in every round");
    if (f_.best && f_.points.size() > 1) add("* the setting to use");
    if (std::ranges::any_of(f_.points, any_invalid))
      add("(in brackets) INVALID, shown and used for nothing");
    if (style_.detail) add(absent());
    return text;
  }

  std::string absent() const {
    std::vector<std::string_view> unmeasured;
    for (const FilledColumn& c : columns_)
      if (c.empty && !c.column->hide_if_empty && !(wrapped_ && c.column->title == "pipeline F"))
        unmeasured.push_back(c.column->title);
    const auto gap = [](const PointFindings& p) { return p.epoch_gap_ms.has_value(); };
    std::string text;
    // No epoch ended, or the loader cannot say.
    if (std::ranges::none_of(f_.points, gap) && !f_.external.points.empty())
      unmeasured.insert(unmeasured.begin(), "epoch gap");
    else if (std::ranges::none_of(f_.points, gap))
      text = "no epoch gap: measured only for loaders that restart at each epoch";
    if (!unmeasured.empty())
      text +=
          fmt::format("{}not measured: {}", text.empty() ? "" : "; ", fmt::join(unmeasured, ", "));
    return text;
  }

  const Findings& f_;
  TerminalStyle style_;
  std::vector<FilledColumn> columns_;
  bool wrapped_;  // its F has a column of its own
};

// A legend is one string of several lines.
std::size_t height_of(const std::vector<std::string>& lines) {
  return std::accumulate(lines.begin(), lines.end(), std::size_t{0},
                         [](std::size_t n, const std::string& line) {
                           return n + 1 + static_cast<std::size_t>(std::ranges::count(line, '\n'));
                         });
}

}  // namespace

std::vector<std::size_t> points_that_matter(const Findings& f, std::size_t most) {
  std::vector<std::size_t> all(f.points.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  if (all.size() <= most) return all;
  const std::size_t last = slowest(f.points);
  const auto order = [&](std::size_t i) {
    const bool first = i == 0 || f.best == f.points[i].point || i == last;
    return std::tuple(first ? 0 : rank_of(f.points[i].status), -speed_of(f.points[i]), i);
  };
  std::ranges::sort(all, {}, order);
  all.resize(most);
  std::ranges::sort(all);
  return all;
}

std::vector<std::string> points_table(const Findings& findings, const Plan& plan,
                                      const TerminalStyle& style, std::size_t room) {
  if (findings.points.empty()) return {};
  const Table table(findings, plan, style);
  std::size_t most =
      style.detail ? findings.points.size()
                   : std::clamp(room, kLeastRows, std::max(kLeastRows, findings.points.size()));
  std::vector<std::string> lines = table.lines(points_that_matter(findings, most));
  while (!style.detail && most > kLeastRows && height_of(lines) > room)
    lines = table.lines(points_that_matter(findings, --most));
  return lines;
}

}  // namespace benchbench
