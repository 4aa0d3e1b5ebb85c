#include "harness/report/text/cells.h"

#include <fmt/format.h>

#include <cmath>

namespace benchbench {
namespace {
constexpr std::string_view kNotRun = "not run";
}  // namespace

std::string spread_text(const Estimate& e) {
  if (e.n < 2 || !(e.low > 0)) return "";
  const double percent = 100 * (std::sqrt(e.high / e.low) - 1);
  if (!(percent >= 0)) return "";
  if (percent < 1e-10) return "exact";  // the same in every round; logarithms are rounded
  if (percent < 0.05) return "±<0.1%";
  if (percent > 999) return "±>999%";
  return fmt::format("±{:.{}f}%", percent, percent < 0.95 ? 1 : 0);
}

namespace {
std::string with_spread(std::string value, const Estimate& e) {
  const std::string spread = spread_text(e);
  return spread.empty() ? value : value + ' ' + spread;
}
}  // namespace

std::string rate_cell(const Measured& rate) {
  return rate && std::isfinite(rate->value) ? with_spread(human_count(rate->value), *rate)
                                            : kNotMeasured;
}

std::string per_second_text(double rate) { return human_count(rate) + " samples/s"; }

std::string ratio_cell(const Measured& ratio) {
  if (!ratio || !std::isfinite(ratio->value)) return kNotMeasured;
  const double v = ratio->value;
  return with_spread(std::abs(v) >= 99.95 ? human_count(v) + "x"
                                          : fmt::format("{:.{}f}x", v, std::abs(v) < 9.995 ? 2 : 1),
                     *ratio);
}

std::string share_text(double share) {
  if (is_told_as_bound(share)) return "under 0.1 %";
  const double percent = 100 * share + 0.0;  // -0 is 0
  if (!std::isfinite(percent)) return kNotMeasured;
  return fmt::format("{:.{}f} %", percent, percent != 0 && std::abs(percent) < 9.95 ? 1 : 0);
}

std::string difference_text(double share) {
  return share > 1 ? ratio_cell(Estimate{1 + share, 0, 0, 1}) : share_text(share);
}

std::string cache_text(const PointFindings& p) {
  return p.cache_share ? fmt::format("{:.0f} % page cache", std::floor(100 * *p.cache_share))
                       : "not measured";
}

std::string_view status_text(const PointStatus& p, Mode mode) {
  const auto at = static_cast<std::size_t>(mode);
  return p.never_ran[at] ? kNotRun : name_of(p.mode_status[at].value_or(p.status));
}

std::string_view status_text(const PointStatus& p) {
  if (p.status != Status::aborted) return name_of(p.status);
  bool any_ran = false;
  for (std::size_t mode = 0; mode < p.mode_status.size(); ++mode) {
    if (p.mode_status[mode] == Status::aborted && !p.never_ran[mode]) return name_of(p.status);
    any_ran = any_ran ||
              (p.mode_status[mode] && !p.never_ran[mode] && p.mode_status[mode] != Status::skipped);
  }
  return any_ran ? "partial" : kNotRun;
}

std::string ms_text(double milliseconds) {
  if (!std::isfinite(milliseconds)) return kNotMeasured;
  return milliseconds == 0 ? "0 ms" : human_duration(from_seconds(milliseconds * 1e-3));
}

std::string device_words(const StepIdentity& step) {
  std::string text = "The same on the device:";
  for (const auto& [name, ms] : step.device_parts)
    text += fmt::format("{} {} {}", text.back() == ':' ? "" : ",", name, ms_text(ms));
  return text;
}

std::string ms_cell(const Measured& ms) { return ms ? ms_text(ms->value) : kNotMeasured; }
std::string ms_cell(const std::optional<double>& ms) { return ms ? ms_text(*ms) : kNotMeasured; }

}  // namespace benchbench
