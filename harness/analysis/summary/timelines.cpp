#include "harness/analysis/summary/timelines.h"

#include <algorithm>
#include <array>

#include "harness/analysis/rates/host_timeline.h"
#include "harness/analysis/summary/point_summary.h"

namespace benchbench {
namespace {

using Parts = std::vector<std::pair<std::string, double>>;

void add(Parts& parts, std::string_view name, double ns) {
  const auto at = std::ranges::find(parts, name, &Parts::value_type::first);
  if (at == parts.end())
    parts.emplace_back(name, ns);
  else
    at->second += ns;
}

std::vector<const Facts*> usable_pipelines(const Point& point, const JudgedTrials& trials) {
  auto facts = usable_facts(trials.of(trial_of(point, Mode::pipeline)));
  std::erase_if(facts, [](const Facts* f) { return f->window.steps == 0; });
  return facts;
}

double steps_of(const std::vector<const Facts*>& all) {
  double steps = 0;
  for (const Facts* f : all) steps += static_cast<double>(f->window.steps);
  return steps;
}

// From sums in ns to ms per step, and what is left of it.
Timeline closed(Timeline line, double window_ns, double steps) {
  double sum = 0;
  for (auto& [name, value] : line.parts) sum += value, value *= 1e-6 / steps;
  line.step_ms = window_ns * 1e-6 / steps;
  line.residual_ms = (window_ns - sum) * 1e-6 / steps;
  line.residual_share = window_ns > 0 ? (window_ns - sum) / window_ns : 0;
  return line;
}

double windows_of(const std::vector<const Facts*>& all) {
  double ns = 0;
  for (const Facts* f : all) ns += static_cast<double>(f->window.ns);
  return ns;
}

Timeline host(const std::vector<const Facts*>& all) {
  Timeline line;
  line.name = "host";
  for (const Facts* f : all)
    for (const auto& [name, ns] : host_timeline(*f).parts) add(line.parts, name, ns);
  return closed(std::move(line), windows_of(all), steps_of(all));
}

Timeline device(const std::vector<const Facts*>& all) {
  Timeline line;
  line.name = "device";
  line.measured = !all.empty();
  for (const Facts* f : all) {
    line.measured = f->device && times_known(*f->device);
    if (!line.measured) break;
    for (const auto& [name, ns] : device_timeline(*f)) add(line.parts, name, ns);
  }
  if (!line.measured) line.parts.clear();
  if (!line.measured) return line;
  return closed(std::move(line), windows_of(all), steps_of(all));
}

}  // namespace

std::vector<Timeline> timelines_of(const Point& point, const JudgedTrials& trials) {
  auto all = usable_pipelines(point, trials);
  std::erase_if(all, [](const Facts* f) {
    return f->window.get_blocked.n == 0 && f->window.loop.step_ns == 0;
  });
  if (all.empty()) return {};
  return {host(all), device(all)};
}

std::optional<LoaderWork> loader_work_of(const Point& point, const JudgedTrials& trials) {
  auto all = usable_pipelines(point, trials);
  std::erase_if(all,
                [](const Facts* f) { return f->workers.count == 0 || f->workers.wall_ns <= 0; });
  if (all.empty()) return std::nullopt;
  LoaderWork work;
  double fill = 0, slot_wait = 0, queue = 0, staged = 0;
  for (const Facts* f : all) {
    work.workers = f->workers.count;
    for (const Stage s : kLoaderStages) {
      if (total_of(*f, s).count == 0) continue;
      add(work.parts, name_of(s), static_cast<double>(total_of(*f, s).ns));
      staged += static_cast<double>(total_of(*f, s).ns);
    }
    fill += static_cast<double>(f->workers.fill_ns);
    slot_wait += static_cast<double>(f->workers.slot_wait_ns);
    queue += static_cast<double>(f->workers.queue_ns);
  }
  work.parts.emplace_back("slot_wait", slot_wait);
  work.parts.emplace_back("queue", queue);
  const double to_ms = 1e-6 / steps_of(all);
  for (auto& part : work.parts) part.second *= to_ms;
  work.residual_ms = (fill - staged) * to_ms;
  return work;
}

std::optional<StepIdentity> step_identity(const Point& point, const JudgedTrials& trials) {
  StepIdentity identity;
  identity.point = point.index;
  double steps = 0, other = 0;
  bool device_known = true;
  for (const Facts* f : usable_pipelines(point, trials)) {
    if (f->window.get_blocked.n == 0) continue;
    const HostTimeline line = host_timeline(*f);
    for (const auto& [name, ns] : line.parts) add(identity.parts, name, ns);
    for (const auto& [name, ns] : device_timeline(*f)) add(identity.device_parts, name, ns);
    device_known &= !f->device || times_known(*f->device);
    other += line.other_ns;
    identity.step_ms += static_cast<double>(f->window.ns);
    steps += static_cast<double>(f->window.steps);
  }
  if (steps == 0) return std::nullopt;
  if (!device_known) identity.device_parts.clear();
  // Parts that are a hair longer than the window (I01 allows half a percent) are reported as shares
  // of it.
  const double fit = other < 0 ? identity.step_ms / (identity.step_ms - other) : 1;
  for (auto& part : identity.parts) part.second *= fit * 1e-6 / steps;
  for (auto& part : identity.device_parts) part.second *= 1e-6 / steps;
  identity.parts.emplace_back("other", std::max(0.0, other) * 1e-6 / steps);
  identity.step_ms *= 1e-6 / steps;
  return identity;
}

}  // namespace benchbench
