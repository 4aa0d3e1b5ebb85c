#include "harness/analysis/metrics/metric_fields.h"

#include <cmath>
#include <vector>

#include "harness/analysis/rules/rules.h"

namespace benchbench {
namespace {

constexpr std::pair<const char*, double Distribution::*> kPercentiles[] = {
    {"_p50", &Distribution::p50},
    {"_p90", &Distribution::p90},
    {"_p99", &Distribution::p99},
    {"_max", &Distribution::max}};

struct EstimatePart {
  std::string_view suffix, what, unit;  // unit "": the metric's
  double (*take)(const Estimate&);
};

NumberField make_part(const EstimateField& field, const EstimatePart& part, bool usable) {
  const auto value = [&field, take = part.take, usable](const PointFindings& p) {
    const Measured e = usable ? usable_estimate(field, p) : p.*field.value;
    return e ? std::optional(take(*e)) : std::nullopt;
  };
  return {field.metric, field.name + std::string(part.suffix), value, part.what,
          part.unit.empty() ? field.metric->unit.word : part.unit};
}

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
  if (field.metric->is_rate() && !p.is_usable_in(*field.metric->mode())) return std::nullopt;
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
      if (metric.number || metric.from_facts)
        made.push_back({&metric, metric.field(),
                        [&metric](const PointFindings& p) { return metric.value_at(p); }});
      if (metric.distribution)
        for (const auto& [suffix, percentile] : kPercentiles)
          made.push_back(make_percentile(metric, suffix, percentile));
    }
    return made;
  }();
  return all;
}

std::vector<NumberField> number_columns(bool usable, std::string_view rounds) {
  const EstimatePart parts[] = {
      {"", "mean over rounds", "", [](const Estimate& e) { return e.value; }},
      {"_low", "lower bound of the mean, 95 %", "", [](const Estimate& e) { return e.low; }},
      {"_high", "upper bound of the mean, 95 %", "", [](const Estimate& e) { return e.high; }},
      {rounds, "rounds behind the mean", "count",
       [](const Estimate& e) { return static_cast<double>(e.n); }}};
  std::vector<NumberField> columns;
  for (const EstimateField& field : estimate_fields())
    for (const EstimatePart& part : parts) columns.push_back(make_part(field, part, usable));
  columns.insert(columns.end(), number_fields().begin(), number_fields().end());
  return columns;
}

}  // namespace benchbench
