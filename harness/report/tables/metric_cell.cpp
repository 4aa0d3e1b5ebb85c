#include "harness/report/tables/metric_cell.h"

#include <fmt/format.h>

#include <cmath>

#include "harness/record/setting_keys.h"
#include "harness/report/text/cells.h"

namespace benchbench {
namespace {

Estimate without_spread(const Estimate& e) { return {e.value, 0, 0, 1}; }

// Without its interval where room is short: L and T have theirs.
std::string ratio_of_rates(const Measured& ratio, const PointRow& r) {
  if (!ratio) return kNotMeasured;
  if (r.point.is_bound(Mode::loader)) return "> " + ratio_cell(without_spread(*ratio));
  return ratio_cell(r.detail ? *ratio : without_spread(*ratio));
}

std::string gain_or_reference(const Measured& gain, const PointRow& r) {
  const Value* workers = r.plan.points[r.point.point].settings.find(keys::loader.num_workers);
  if (workers && workers->text() == "0" && !r.point.own_workers)
    return r.point.pipeline_rate ? "reference" : kNotMeasured;
  return ratio_cell(gain);
}

// "12.4 KiB", "12.4 KiB (98 KiB off the disk)". It shows what leaving samples out costs in bytes.
std::string bytes_asked_text(double asked, const PointRow& r) {
  const std::optional<double> device = r.point.device_bytes_per_sample;
  if (!device || *device <= asked) return human_bytes(asked);
  return fmt::format("{} ({} off the disk)", human_bytes(asked), human_bytes(*device));
}

std::string value_text(CellFormat format, double value, const PointRow& r) {
  switch (format) {
    case CellFormat::milliseconds:
      return ms_text(value);
    case CellFormat::share:
      return share_text(value);
    case CellFormat::whole_share:
      return fmt::format("{:.0f} %", std::floor(100 * value));
    case CellFormat::bytes:
      return human_bytes(value);
    case CellFormat::bytes_asked:
      return bytes_asked_text(value, r);
    case CellFormat::two_digits:
      return fmt::format("{:.2f}", value);
    case CellFormat::three_digits:
      return fmt::format("{:.3f}", value);
    default:
      return human_count(value);
  }
}

}  // namespace

std::string bracketed_rate(const Metric& metric, const PointRow& r) {
  const Measured& rate = r.point.*metric.estimate;
  const Mode mode = *metric.mode();
  if (!rate) return kNotMeasured;
  if (r.point.is_bound(mode))
    return rate->value < kTimelessRate ? "> " + human_count(rate->value) : "no limit";
  const bool bare = wraps_script(r.plan) && !r.detail && is_wide(*rate);
  const std::string text = rate_cell(bare ? without_spread(*rate) : *rate);
  const bool invalid = r.point.mode_status[static_cast<std::size_t>(mode)] == Status::invalid;
  return invalid ? '(' + text + ')' : text;
}

std::string metric_cell(const Metric& metric, const PointRow& r) {
  const MetricColumn& column = metric.column;
  if (column.applies && !column.applies(r.findings, r.plan, r.point)) return kNotMeasured;
  if (column.format == CellFormat::rate) return bracketed_rate(metric, r);
  if (column.format == CellFormat::ratio) return ratio_of_rates(r.point.*metric.estimate, r);
  if (column.format == CellFormat::over_reference)
    return gain_or_reference(r.point.*metric.estimate, r);
  const auto value = metric.value_at(r.point);
  return value ? value_text(column.format, *value, r) : kNotMeasured;
}

}  // namespace benchbench
