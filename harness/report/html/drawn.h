// What the page's charts have in common: which points, how numbers are told and handed to the
// script.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "harness/analysis/findings.h"
#include "harness/report/html/html_text.h"
#include "harness/report/text/formats.h"

namespace benchbench {

inline constexpr std::size_t kDrawnPoints = 40;

// A chart, or several of a kind: what the script draws, and the figures (or why there is none) in
// the page.
struct Drawn {
  nlohmann::ordered_json data;  // null or empty: nothing is drawn
  std::string page;
};

// The base, the point to use, then the others in their order; at most kDrawnPoints.
std::vector<std::uint32_t> drawn_points(const Findings& findings);
// "40 of 1,000 points are drawn; all are in the table of points." or nothing.
std::string left_out_words(const Findings& findings);

// Six digits, which is more than a screen has; null where it is no number.
nlohmann::ordered_json drawn_number(double value);
// {"value", "low", "high", "n"}.
nlohmann::ordered_json drawn_estimate(const Estimate& e);
// {"point", "name", "status"}.
nlohmann::ordered_json drawn_point(const Findings& findings, std::uint32_t point);
// "3.2 ms (3.0 ms to 3.4 ms)"; without an interval the value alone.
std::string ms_with_interval(const Estimate& e);
// "loader", ..., "unclear".
std::string_view side_word(const PointFindings& point);
HtmlCell name_cell_of(const Findings& findings, std::uint32_t point);
HtmlCell number_cell(std::string text, std::optional<double> value);
HtmlCell status_cell_of(std::string_view status);

}  // namespace benchbench
