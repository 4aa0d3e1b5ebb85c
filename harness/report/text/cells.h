// Findings' numbers as short text, the same in every table. "-" is "not measured".
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "harness/analysis/findings.h"

namespace benchbench {

inline constexpr const char* kNotMeasured = "-";

// "±4%": half the interval of a rate or ratio, as the factor it is (√(high/low) − 1); "exact" where
// every round gave the same; empty where n < 2.
std::string spread_text(const Estimate& e);
std::string rate_cell(const Measured& rate);    // "1,234 ±4%"
std::string ratio_cell(const Measured& ratio);  // "1.25x ±4%"
std::string per_second_text(double rate);       // "1,234 samples/s"
// "4.2 %", "-3 %"; "under 0.1 %" of what is not 0, whatever its sign.
std::string share_text(double share);
// Of two rates, by what share the larger is above the other: "4.2 %", over 100 % as the factor
// between them, "3.10x".
std::string difference_text(double share);
constexpr bool is_told_as_bound(double share) noexcept {
  return share != 0 && 100 * share < 0.05 && 100 * share > -0.05;
}
std::string cache_text(const PointFindings& point);  // "98 % page cache", "not measured"
// A status; "not run", or "partial", where the run ended before all modes of the point had their
// turn.
std::string_view status_text(const PointStatus& point);
std::string_view status_text(const PointStatus& point, Mode mode);  // of a mode that was asked for
std::string ms_text(double milliseconds);                           // "12.3 ms"
std::string ms_cell(const Measured& milliseconds);
std::string ms_cell(const std::optional<double>& milliseconds);

// Of a wrapped script's step no part is known: all of it is in the first one.
// "The same on the device: forward 2.50 ms, copy_exposed 0.78 ms, ...".
std::string device_words(const StepIdentity& step);
inline std::string_view step_part(std::string_view part, const Plan& plan) {
  return part == "forward" && wraps_script(plan) ? "step" : part;
}

}  // namespace benchbench
