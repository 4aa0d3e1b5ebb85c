#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "harness/report/html/run_drawn.h"
#include "harness/report/html/sort_number.h"
#include "harness/report/text/cells.h"

namespace benchbench {
namespace {

struct AxisDot {
  std::string label;
  std::uint32_t point = 0;
  std::optional<double> x;  // the label as a number
};

std::optional<double> number_of(const std::string& text) {
  double x = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), x);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional(x) : std::nullopt;
}

// Numbers in their order, words in the sweep's. The base has its own value on the axis.
std::vector<AxisDot> dots_of(const AxisEffect& axis) {
  std::vector<AxisDot> dots;
  if (!axis.base_label.empty()) dots.push_back({axis.base_label, 0, number_of(axis.base_label)});
  for (const AxisValueEffect& v : axis.values)
    dots.push_back({v.label, v.point, number_of(v.label)});
  if (std::ranges::all_of(dots, [](const AxisDot& d) { return d.x.has_value(); })) {
    std::ranges::stable_sort(dots, {}, &AxisDot::x);
    return dots;
  }
  for (AxisDot& dot : dots) dot.x.reset();
  // "2ms", "1ms": words in the order of what they are.
  if (std::ranges::all_of(dots, [](const AxisDot& d) { return sort_number(d.label).has_value(); }))
    std::ranges::stable_sort(dots, {}, [](const AxisDot& d) { return *sort_number(d.label); });
  return dots;
}

// Evenly from the first to the last, the base's among them.
std::vector<AxisDot> at_most_drawn(const std::vector<AxisDot>& dots) {
  if (dots.size() <= kDrawnPoints) return dots;
  std::vector<AxisDot> kept;
  const std::size_t places = kDrawnPoints - 1;  // and one for the base
  for (std::size_t i = 0; i < dots.size(); ++i) {
    const std::size_t place = i * (places - 1) / (dots.size() - 1),
                      next = (i + 1) * (places - 1) / (dots.size() - 1);
    if (dots[i].point == 0 || i + 1 == dots.size() || place != next) kept.push_back(dots[i]);
  }
  return kept;
}

bool spans_decades(const std::vector<AxisDot>& dots) {
  return dots.front().x && *dots.front().x > 0 && *dots.back().x >= 30 * *dots.front().x;
}

struct RateOf {
  Mode mode;
  Measured PointFindings::* rate;
};
constexpr RateOf kRates[] = {{Mode::loader, &PointFindings::loader_rate},
                             {Mode::trainer, &PointFindings::trainer_rate},
                             {Mode::pipeline, &PointFindings::pipeline_rate}};

nlohmann::ordered_json line_of(const Findings& f, const std::vector<AxisDot>& dots,
                               const RateOf& of) {
  nlohmann::ordered_json values = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < dots.size(); ++i) {
    const PointFindings& p = f.points[dots[i].point];
    const auto status = p.mode_status[static_cast<std::size_t>(of.mode)];
    if (!(p.*of.rate) || !status || !is_usable(*status)) continue;
    nlohmann::ordered_json value{{"label", dots[i].label},
                                 {"x", drawn_number(dots[i].x.value_or(static_cast<double>(i)))},
                                 {"point", dots[i].point},
                                 {"status", name_of(*status)}};
    value.update(drawn_estimate(*(p.*of.rate)));
    value["text"] = fmt::format("{} samples/s", rate_cell(p.*of.rate));
    values.push_back(std::move(value));
  }
  return values;
}

void add_rows(const Findings& f, const std::vector<AxisDot>& dots, HtmlTable& values) {
  for (const AxisDot& dot : dots) {
    const PointFindings& p = f.points[dot.point];
    values.rows.push_back({{dot.label},
                           {rate_cell(p.loader_rate)},
                           {rate_cell(p.trainer_rate)},
                           {rate_cell(p.pipeline_rate)},
                           status_cell_of(status_text(p))});
  }
}

void add_axis(const Findings& f, const AxisEffect& axis, Drawn& out) {
  const std::vector<AxisDot> all = dots_of(axis), dots = at_most_drawn(all);
  nlohmann::ordered_json lines = nlohmann::ordered_json::array();
  for (const RateOf& of : kRates)
    if (auto values = line_of(f, dots, of); !values.empty())
      lines.push_back({{"mode", name_of(of.mode)}, {"values", std::move(values)}});
  if (dots.size() < 2 || lines.empty()) return;
  HtmlFigure figure{"axis",
                    out.data.size(),
                    0,
                    fmt::format("What does {} change?", axis.key),
                    "Samples per second of the loader alone, the trainer alone and both together, "
                    "with 95 % intervals, at otherwise the base's settings.",
                    {}};
  if (dots.size() < all.size())
    figure.how += fmt::format(" {} of {} are drawn.", dots.size(), counted(all.size(), "value"));
  figure.values = {"",
                   "Rates by " + axis.key,
                   false,
                   {{axis.key, "", false},
                    {"loader alone", "samples/s"},
                    {"trainer alone", "samples/s"},
                    {"together", "samples/s"},
                    {"status", "", false}},
                   {}};
  add_rows(f, dots, figure.values);
  const bool numeric = dots.front().x.has_value();
  out.data.push_back({{"axis", axis.key},
                      {"numeric", numeric},
                      {"log", numeric && spans_decades(dots)},
                      {"base", axis.base_label},
                      {"unit", "samples/s"},
                      {"lines", std::move(lines)}});
  out.page += html_figure(figure);
}

}  // namespace

Drawn drawn_axes(const ReportInput& in) {
  Drawn out{nlohmann::ordered_json::array(), ""};
  for (const AxisEffect& axis : in.findings.axes) add_axis(in.findings, axis, out);
  if (out.page.empty())
    out.page = html_absent(in.findings.axes.empty()
                               ? "Nothing was swept, so there is no setting to draw rates against."
                               : "No swept setting has two values whose rates are known at "
                                 "otherwise the base's settings.");
  return out;
}

}  // namespace benchbench
