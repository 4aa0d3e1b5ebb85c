#include "harness/analysis/compare/compared_metric.h"

#include <array>
#include <cmath>

#include "harness/analysis/rates/window_rates.h"

namespace benchbench {
namespace {

std::optional<double> wait_ms(const Facts& f) { return part_of_step_ms(f, waited_share(f)); }

// A rate, a time or a size of 0 was not measured: it has no ratio either.
std::optional<double> above_zero(double value) {
  return value > 0 ? std::optional(value) : std::nullopt;
}

std::optional<double> rate_or_none(const Facts& f) { return above_zero(rate_of(f)); }

constexpr std::array kMetrics{
    MetricRow{ComparedMetric::pipeline_rate, MetricKind::rate, Mode::pipeline, "samples/s",
              rate_or_none},
    MetricRow{ComparedMetric::loader_rate, MetricKind::rate, Mode::loader, "samples/s",
              rate_or_none},
    MetricRow{ComparedMetric::trainer_rate, MetricKind::rate, Mode::trainer, "samples/s",
              rate_or_none},
    MetricRow{ComparedMetric::exposed_wait, MetricKind::wait, Mode::pipeline, "ms", wait_ms},
    MetricRow{
        ComparedMetric::startup, MetricKind::startup, std::nullopt, "ms",
        [](const Facts& f) { return above_zero(static_cast<double>(f.start.startup_ns) * 1e-6); }},
    MetricRow{ComparedMetric::first_batch, MetricKind::first_batch, std::nullopt, "ms",
              [](const Facts& f) {
                return above_zero(static_cast<double>(f.start.first_batch_ns) * 1e-6);
              }},
    MetricRow{ComparedMetric::peak_memory, MetricKind::memory, std::nullopt, "bytes",
              [](const Facts& f) {
                return above_zero(static_cast<double>(f.peak_memory_bytes.value_or(0)));
              }},
};

}  // namespace

std::span<const MetricRow> compared_metrics() noexcept { return kMetrics; }
const MetricRow& row_of(ComparedMetric metric) noexcept {
  return kMetrics[static_cast<std::size_t>(metric)];
}

}  // namespace benchbench
