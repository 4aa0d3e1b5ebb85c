#include "harness/report/html/drawn.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/analysis/conclusion/conclusion.h"
#include "harness/report/fields/json_maker.h"
#include "harness/report/text/cells.h"

namespace benchbench {

std::vector<std::uint32_t> drawn_points(const Findings& findings) {
  std::vector<std::uint32_t> out;
  if (findings.points.empty()) return out;
  out.push_back(0);
  if (const auto use = other_point_to_use(findings)) out.push_back(*use);
  for (std::uint32_t point = 1; point < findings.points.size() && out.size() < kDrawnPoints;
       ++point)
    if (std::ranges::find(out, point) == out.end()) out.push_back(point);
  return out;
}

std::string left_out_words(const Findings& findings) {
  if (findings.points.size() <= kDrawnPoints) return "";
  return fmt::format("{} of {} are drawn; all are in the table of points.", kDrawnPoints,
                     counted(findings.points.size(), "point"));
}

namespace {

double six_digits(double value) { return std::stod(fmt::format("{:.6g}", value)); }

}  // namespace

nlohmann::ordered_json drawn_number(double value) { return make_json(six_digits(value)); }

nlohmann::ordered_json drawn_estimate(const Estimate& e) {
  return make_json(Estimate{six_digits(e.value), six_digits(e.low), six_digits(e.high), e.n});
}

nlohmann::ordered_json drawn_point(const Findings& findings, std::uint32_t point) {
  const PointFindings& f = findings.points[point];
  return {{"point", point}, {"name", f.name}, {"status", status_text(f)}};
}

std::string ms_with_interval(const Estimate& e) {
  const std::string value = ms_text(e.value);
  return e.n < 2 ? value : fmt::format("{} ({} to {})", value, ms_text(e.low), ms_text(e.high));
}

std::string_view side_word(const PointFindings& point) {
  return point.unclear ? "unclear" : name_of(point.side);
}

HtmlCell name_cell_of(const Findings& findings, std::uint32_t point) {
  return {findings.points[point].name};
}

HtmlCell number_cell(std::string text, std::optional<double> value) {
  if (value && !std::isfinite(*value)) value.reset();
  return {std::move(text), value};
}

HtmlCell status_cell_of(std::string_view status) {
  std::string name(status);
  std::ranges::transform(name, name.begin(), [](char c) {
    return c == ' ' ? '-' : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return {std::string(status), std::nullopt, std::move(name)};
}

}  // namespace benchbench
