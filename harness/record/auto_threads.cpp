#include "harness/record/auto_threads.h"
#include "harness/record/setting_keys.h"

#include <algorithm>

namespace benchbench {

std::int64_t largest_workers(const Scenario& scenario) {
  std::int64_t most = scenario.base.get(keys::loader.num_workers);
  for (const Axis& axis : scenario.axes)
    for (const AxisValue& value : axis.values)
      if (const Value* workers = value.find(keys::loader.num_workers))
        most = std::max(most, std::get<std::int64_t>(workers->held));
  return most;
}

std::int64_t auto_threads_at(const Scenario& scenario, const SettingsMap& point) {
  if (!point.given(keys::run.cpus)) return scenario.auto_threads;
  const std::int64_t left = point.get(keys::run.cpus) - largest_workers(scenario);
  return std::min(scenario.auto_threads, std::max<std::int64_t>(1, left));
}

}  // namespace benchbench
