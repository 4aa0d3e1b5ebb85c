// A row of the table of metrics, by its name.
#pragma once
#include <algorithm>
#include <string_view>

#include "harness/analysis/metrics/metric.h"

namespace benchbench {

// nullptr if there is none.
inline const Metric* find_metric(std::string_view name) {
  const auto found = std::ranges::find(metrics(), name, &Metric::name);
  return found == metrics().end() ? nullptr : &*found;
}

}  // namespace benchbench
