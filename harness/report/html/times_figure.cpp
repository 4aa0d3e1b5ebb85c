// 1/L, 1/T and 1/F of each point as bars from zero. Linear rates would hide the slow side where one
// is fifty times the other, and logarithmic bars would have no honest beginning.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/analysis/conclusion/conclusion.h"
#include "harness/report/html/run_drawn.h"
#include "harness/report/text/cells.h"

namespace benchbench {
namespace {

struct Bar {
  Mode mode;
  std::string_view label, side;
  Measured PointFindings::* rate;
};
constexpr Bar kBars[] = {{Mode::loader, "loader alone", "loader", &PointFindings::loader_rate},
                         {Mode::trainer, "trainer alone", "trainer", &PointFindings::trainer_rate},
                         {Mode::pipeline, "together", "together", &PointFindings::pipeline_rate}};

// A sample's time in ms; the interval turns round.
Measured time_of(const Measured& rate) {
  if (!rate || !(rate->value > 0) || !std::isfinite(rate->value)) return std::nullopt;
  const auto ms = [](double per_second) { return per_second > 0 ? 1e3 / per_second : 0; };
  return Estimate{ms(rate->value), ms(rate->high), ms(rate->low), rate->n};
}

std::optional<Status> status_of(const PointFindings& p, Mode mode) {
  return p.mode_status[static_cast<std::size_t>(mode)];
}

bool is_drawn(const PointFindings& p, const Bar& bar) {
  const auto status = status_of(p, bar.mode);
  return status && is_usable(*status) && time_of(p.*bar.rate).has_value();
}

double longest_of(const Findings& f, const std::vector<std::uint32_t>& points) {
  double longest = 0;
  for (const std::uint32_t point : points)
    for (const Bar& bar : kBars)
      if (const PointFindings& p = f.points[point]; is_drawn(p, bar)) {
        const Measured time = time_of(p.*bar.rate);
        longest = std::max({longest, time->value, std::min(time->high, 2 * time->value)});
      }
  return longest;
}

std::string percent(double ms, double longest) {
  return fmt::format("{:.2f}%", longest > 0 ? std::clamp(100 * ms / longest, 0.0, 100.0) : 0);
}

std::string svg_of(const Estimate& time, double longest) {
  std::string out = fmt::format(
      "<svg width=\"100%\" height=\"16\" aria-hidden=\"true\" focusable=\"false\"><rect "
      "class=\"bar\" x=\"0\" y=\"2\" height=\"12\" width=\"{}\"/>",
      percent(time.value, longest));
  if (time.n >= 2)
    out += fmt::format(
        "<line class=\"interval\" x1=\"{0}\" x2=\"{1}\" y1=\"8\" y2=\"8\"/><line "
        "class=\"interval\" x1=\"{0}\" x2=\"{0}\" y1=\"5\" y2=\"11\"/><line class=\"interval\" "
        "x1=\"{1}\" x2=\"{1}\" y1=\"5\" y2=\"11\"/>",
        percent(time.low, longest), percent(time.high, longest));
  return out + "</svg>";
}

std::string value_of(const PointFindings& p, const Bar& bar) {
  const Measured time = time_of(p.*bar.rate);
  if (!time) return kNotMeasured;
  const std::string spread = spread_text(*(p.*bar.rate));
  const std::string text = ms_text(time->value) + (spread.empty() ? "" : " " + spread);
  return is_drawn(p, bar) ? text : '(' + text + ')';
}

std::string word_of(const PointFindings& p, const Bar& bar) {
  if (!status_of(p, bar.mode)) return "not measured";
  const std::string_view status = status_text(p, bar.mode);
  return status == "VALID" ? "" : std::string(status);
}

std::string class_of(std::string word) {
  std::ranges::transform(word, word.begin(), [](char c) {
    return c == ' ' ? '-' : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return word.empty() ? "valid" : word;
}

std::string row_of(const PointFindings& p, const Bar& bar, double longest) {
  const std::string word = word_of(p, bar);
  const bool binds = !p.unclear && name_of(p.side) == bar.side;
  const std::string status = word.empty() ? ""
                                          : fmt::format(" <span class=\"status {}\">{}</span>",
                                                        class_of(word), html(word));
  const std::string svg = is_drawn(p, bar) ? svg_of(*time_of(p.*bar.rate), longest) : "";
  return fmt::format(
      "<tr class=\"{} {}{}\"><th scope=\"row\">{}</th><td class=\"number\">{}</td><td "
      "class=\"bar\">{}{}</td></tr>\n",
      bar.side, class_of(word), binds ? " binds" : "", bar.label, html(value_of(p, bar)), svg,
      status);
}

std::string side_words(const PointFindings& p) {
  if (p.unclear) return "the rounds, or the steps of one, differ too much to name a side";
  switch (p.side) {
    case Side::unknown:
      return "no side can be named without usable trials of loader, trainer and both";
    case Side::balanced:
      return "balanced: neither side holds the other back";
    case Side::contention:
      return fmt::format(
          "contention: without what they take from each other each {} step would be {} shorter",
          ms_cell(p.step_ms), ms_cell(p.side_cost_ms));
    default:
      break;
  }
  if (p.by_waits || !p.side_cost_ms)
    return fmt::format("the {} binds, by the waits", name_of(p.side));
  return fmt::format("the {} binds: without it each {} step would be {} shorter", name_of(p.side),
                     ms_cell(p.step_ms), ms_cell(p.side_cost_ms));
}

std::string group_of(const ReportInput& in, std::uint32_t point, double longest) {
  const PointFindings& p = in.findings.points[point];
  const bool use = other_point_to_use(in.findings) == point;
  std::string out = fmt::format(
      "<tbody id=\"point-{}\"{}>\n<tr class=\"head\"><th scope=\"rowgroup\" colspan=\"3\"><span "
      "class=\"name\">{}</span>",
      point,
      point == 0 ? " class=\"base\""
      : use      ? " class=\"use\""
                 : "",
      html(p.name));
  if (point == 0 && !p.name.ends_with("base)") && p.name != "base")
    out += " <span class=\"mark\">base</span>";
  if (use) out += " <span class=\"mark\">to use</span>";
  out += fmt::format(" <span class=\"side {}\">{}</span></th></tr>\n",
                     class_of(std::string(side_word(p))), html(side_words(p)));
  for (const Bar& bar : kBars) out += row_of(p, bar, longest);
  return out + "</tbody>\n";
}

}  // namespace

std::string times_figure(const ReportInput& in) {
  const Findings& f = in.findings;
  const std::vector<std::uint32_t> points = drawn_points(f);
  if (points.empty()) return html_absent("There is no point.");
  const double longest = longest_of(f, points);
  std::string out = fmt::format(
      "<figure class=\"times\" id=\"times\" aria-labelledby=\"times-name\">\n<figcaption "
      "id=\"times-name\"><strong>Time per sample, alone and together</strong> "
      "<span>Shorter is faster. Together takes at least as long as the longer of the two alone, "
      "but for noise. Bars begin at 0 and end at {} on the right; lines are 95 % intervals. "
      "{}</span></figcaption>\n",
      longest > 0 ? ms_text(longest) : "0 ms", html(left_out_words(f)));
  if (!(longest > 0))
    out += html_absent("No trial is VALID or NOISY, so there is nothing to draw.");
  out +=
      "<table class=\"times\">\n<caption>Time per sample</caption>\n<colgroup><col "
      "class=\"what\"><col class=\"value\"><col class=\"bar\"></colgroup>\n";
  for (const std::uint32_t point : points) out += group_of(in, point, longest);
  return out + "</table>\n</figure>\n";
}

}  // namespace benchbench
