#include "harness/record/scenario.h"

#include <algorithm>

#include "harness/record/setting_keys.h"

namespace benchbench {
namespace {

std::vector<SweepChoice> list_star(const std::vector<Axis>& axes) {
  std::vector<SweepChoice> all;
  for (std::size_t axis = 0; axis < axes.size(); ++axis)
    for (std::size_t v = 0; v < axes[axis].values.size(); ++v) all.push_back({{axis, v}});
  return all;
}

std::vector<SweepChoice> list_zip(const std::vector<Axis>& axes) {
  std::vector<SweepChoice> all(axes.front().values.size());
  for (std::size_t v = 0; v < all.size(); ++v)
    for (std::size_t axis = 0; axis < axes.size(); ++axis) all[v][axis] = v;
  return all;
}

std::vector<SweepChoice> list_grid(const std::vector<Axis>& axes) {
  std::vector<SweepChoice> all(1);
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    std::vector<SweepChoice> more;
    for (SweepChoice choice : all)
      for (choice[axis] = 0; choice[axis] < axes[axis].values.size(); ++choice[axis])
        more.push_back(choice);
    all = std::move(more);
  }
  return all;
}

}  // namespace

std::vector<SweepChoice> list_choices(const Scenario& scenario) {
  if (scenario.axes.empty()) return {};
  if (scenario.mode == SweepMode::one_at_a_time) return list_star(scenario.axes);
  return scenario.mode == SweepMode::zip ? list_zip(scenario.axes) : list_grid(scenario.axes);
}

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
