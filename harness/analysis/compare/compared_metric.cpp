#include "harness/analysis/compare/compared_metric.h"

#include <array>
#include <cmath>

#include "harness/analysis/judged_trials.h"
#include "harness/analysis/point_summary.h"

namespace benchbench {
namespace {

std::optional<double> rate(const Facts& f) {
  const auto log = log_rate(f);
  return log ? std::optional(std::exp(*log)) : std::nullopt;
}

std::optional<double> wait_ms(const Facts& f) {
  const auto share = waited_share(f);
  if (!share || f.window.steps == 0) return std::nullopt;
  return *share * static_cast<double>(f.window.ns) * 1e-6 / static_cast<double>(f.window.steps);
}

// A time or a size of 0 was not measured: it has no ratio either.
std::optional<double> above_zero(double value) {
  return value > 0 ? std::optional(value) : std::nullopt;
}

constexpr std::array kMetrics{
    MetricRow{ComparedMetric::pipeline_rate, MetricKind::rate, Mode::pipeline, "samples/s", rate},
    MetricRow{ComparedMetric::loader_rate, MetricKind::rate, Mode::loader, "samples/s", rate},
    MetricRow{ComparedMetric::trainer_rate, MetricKind::rate, Mode::trainer, "samples/s", rate},
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
