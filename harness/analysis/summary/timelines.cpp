#include "harness/analysis/summary/timelines.h"

#include <algorithm>
#include <array>

#include "harness/analysis/summary/point_summary.h"

namespace benchbench {
namespace {

void add(NamedTimes& parts, std::string_view name, double ns) {
  const auto at = std::ranges::find(parts, name, &NamedTimes::value_type::first);
  if (at == parts.end())
    parts.emplace_back(name, ns);
  else
    at->second += ns;
}

UsableFacts usable_pipelines(const Point& point, const JudgedTrials& trials) {
  auto facts = usable_facts(trials.of(trial_of(point, Mode::pipeline)));
  std::erase_if(facts, [](const Facts* f) { return f->window.steps == 0; });
  return facts;
}

double steps_of(const UsableFacts& all) {
  double steps = 0;
  for (const Facts* f : all) steps += window_steps(*f);
  return steps;
}

double windows_of(const UsableFacts& all) {
  double ns = 0;
  for (const Facts* f : all) ns += window_ns(*f);
  return ns;
}

template <class PartsOf>
NamedTimes added_up(const UsableFacts& all, PartsOf parts_of) {
  NamedTimes sums;
  for (const Facts* f : all)
    for (const auto& [name, ns] : parts_of(*f)) add(sums, name, ns);
  return sums;
}

TimeParts parts_of_host(const Facts& f) { return host_timeline(f).parts; }

void scale(NamedTimes& parts, double factor) {
  for (auto& [name, value] : parts) value *= factor;
}

// From sums in ns to ms per step, and what is left of it.
Timeline closed(std::string name, NamedTimes sums, const UsableFacts& all) {
  const double steps = steps_of(all), window_ns = windows_of(all);
  double left = 0;
  for (const auto& [part, ns] : sums) left += ns;
  left = window_ns - left;
  scale(sums, 1e-6 / steps);
  return {.name = std::move(name),
          .step_ms = window_ns * 1e-6 / steps,
          .parts = std::move(sums),
          .residual_ms = left * 1e-6 / steps,
          .residual_share = window_ns > 0 ? left / window_ns : 0};
}

bool knows_device(const Facts* f) { return f->device && times_known(*f->device); }

Timeline device(const UsableFacts& all) {
  if (std::ranges::all_of(all, knows_device))
    return closed("device", added_up(all, device_timeline), all);
  return {.name = "device", .measured = false, .parts = {}};
}

}  // namespace

std::vector<Timeline> timelines_of(const Point& point, const JudgedTrials& trials) {
  auto all = usable_pipelines(point, trials);
  std::erase_if(all, [](const Facts* f) {
    return f->window.get_blocked.n == 0 && f->window.loop.step_ns == 0;
  });
  if (all.empty()) return {};
  return {closed("host", added_up(all, parts_of_host), all), device(all)};
}

std::optional<LoaderWork> loader_work_of(const Point& point, const JudgedTrials& trials) {
  auto all = usable_pipelines(point, trials);
  std::erase_if(all,
                [](const Facts* f) { return f->workers.count == 0 || f->workers.wall_ns <= 0; });
  if (all.empty()) return std::nullopt;
  LoaderWork work{.workers = all.back()->workers.count, .parts = added_up(all, loader_stages)};
  double rest = 0, slot_wait = 0, queue = 0;
  for (const Facts* f : all) {
    rest += static_cast<double>(f->workers.fill_ns);
    slot_wait += static_cast<double>(f->workers.slot_wait_ns);
    queue += static_cast<double>(f->workers.queue_ns);
  }
  for (const auto& [name, ns] : work.parts) rest -= ns;
  work.parts.emplace_back("slot_wait", slot_wait);
  work.parts.emplace_back("queue", queue);
  const double to_ms = 1e-6 / steps_of(all);
  scale(work.parts, to_ms);
  work.residual_ms = rest * to_ms;
  return work;
}

std::optional<StepIdentity> step_identity(const Point& point, const JudgedTrials& trials) {
  auto all = usable_pipelines(point, trials);
  std::erase_if(all, [](const Facts* f) { return f->window.get_blocked.n == 0; });
  if (all.empty()) return std::nullopt;
  const double steps = steps_of(all), window = windows_of(all);
  double other = 0;
  for (const Facts* f : all) other += host_timeline(*f).other_ns;
  StepIdentity identity{point.index, window * (1e-6 / steps), added_up(all, parts_of_host), {}};
  if (std::ranges::all_of(all, [](const Facts* f) { return !f->device || knows_device(f); }))
    identity.device_parts = added_up(all, device_timeline);
  // Parts that are a hair longer than the window (I01 allows half a percent) are reported as shares
  // of it.
  const double fit = other < 0 ? window / (window - other) : 1;
  scale(identity.parts, fit * 1e-6 / steps);
  scale(identity.device_parts, 1e-6 / steps);
  identity.parts.emplace_back("other", std::max(0.0, other) * 1e-6 / steps);
  return identity;
}

}  // namespace benchbench
