#include "harness/analysis/metrics/metric.h"

#include <algorithm>
#include <utility>

#include "harness/core/contains.h"

namespace benchbench {

std::optional<Mode> Metric::mode() const noexcept {
  if (std::ranges::count(modes, true) != 1) return std::nullopt;
  return static_cast<Mode>(std::ranges::find(modes, true) - modes.begin());
}

std::optional<double> Metric::value_at(const PointFindings& point) const {
  if (number) return number(point);
  if (estimate) return point.*estimate ? std::optional((point.*estimate)->value) : std::nullopt;
  const double* found = find_value(point.from_facts, name);
  return found ? std::optional(*found) : std::nullopt;
}

std::string Metric::field() const {
  std::string text(name);
  return name.ends_with(unit.suffix) ? text : text.append(unit.suffix);
}

std::map<std::string_view, double> numbers_from_facts(const UsableFacts& facts) {
  std::map<std::string_view, double> numbers;
  for (const Metric& metric : metrics())
    if (const auto value = metric.from_facts ? metric.from_facts(facts) : std::nullopt)
      numbers.emplace(metric.name, *value);
  return numbers;
}

const Metric& rate_metric(Mode mode) noexcept {
  return *std::ranges::find_if(metrics(),
                               [&](const Metric& m) { return m.is_rate() && m.mode() == mode; });
}

std::span<const Metric* const> compared_metrics() {
  static const auto all = [] {
    std::vector<const Metric*> found;
    for (const Metric& metric : metrics())
      if (metric.compared.value) found.push_back(&metric);
    std::ranges::stable_sort(found, {}, [](const Metric* m) {
      return std::pair(m->compared.kind, m->mode() != Mode::pipeline);
    });
    return found;
  }();
  return all;
}

}  // namespace benchbench
