#include "harness/analysis/metrics/metric_fields.h"

#include <cmath>
#include <vector>

#include "harness/analysis/rules.h"

namespace benchbench {
namespace {

constexpr std::pair<const char*, double Distribution::*> kPercentiles[] = {
    {"_p50", &Distribution::p50},
    {"_p90", &Distribution::p90},
    {"_p99", &Distribution::p99},
    {"_max", &Distribution::max}};

NumberField make_percentile(const Metric& metric, const char* suffix,
                            double Distribution::* percentile) {
  return {&metric, metric.field() + suffix,
          [from = metric.distribution, percentile](const PointFindings& p) {
            const auto& of = p.*from;
            return of && std::isfinite((*of).*percentile) ? std::optional((*of).*percentile * 1e-6)
                                                          : std::nullopt;
          }};
}

}  // namespace

Measured usable_estimate(const EstimateField& field, const PointFindings& p) {
  const auto mode = field.metric->mode();
  if (field.metric->is_rate() &&
      !is_usable(p.mode_status[static_cast<std::size_t>(*mode)].value_or(Status::skipped)))
    return std::nullopt;
  return p.*field.value;
}

std::span<const EstimateField> estimate_fields() {
  static const auto all = [] {
    std::vector<EstimateField> made;
    for (const Metric& metric : metrics())
      if (metric.estimate) made.push_back({&metric, metric.field(), metric.estimate});
    return made;
  }();
  return all;
}

std::span<const NumberField> number_fields() {
  static const auto all = [] {
    std::vector<NumberField> made;
    for (const Metric& metric : metrics()) {
      if (metric.number) made.push_back({&metric, metric.field(), metric.number});
      if (metric.distribution)
        for (const auto& [suffix, percentile] : kPercentiles)
          made.push_back(make_percentile(metric, suffix, percentile));
    }
    return made;
  }();
  return all;
}

}  // namespace benchbench
