#include "harness/analysis/faults/external_findings.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "harness/analysis/external/external_points.h"
#include "harness/analysis/rules/asked.h"
#include "harness/analysis/statistics/statistics.h"
#include "harness/analysis/summary/point_summary.h"
#include "harness/core/contains.h"
#include "harness/record/named_parts.h"
#include "harness/record/setting_keys.h"

namespace benchbench {
namespace {

constexpr FaultLook* kFaults[] = {
    idle_workers,       copy_on_write,  epoch_startup,  epoch_gap,  waits_for_cores,
    in_memory,          same_draws,     uneven_samples, snapshots,  fork_beside_threads,
    workers_stay,       made_on_device, host_copies,    pin_thread, outside_steps,
    iterator_each_step, without_fetch,  lock_at_fork};

void add_name(std::vector<std::string>& names, const Point& point, std::string_view key) {
  const Value* use = point.settings.find(key);
  if (use && !contains(names, use->text())) names.push_back(use->text());
}

// By the catalogue, and by what records say: a stored run may be read by a program without the
// part.
void add_parts(const Plan& plan, const JudgedTrials& trials, const Catalog* catalog,
               ExternalFindings& out) {
  for (const Point& point : plan.points) {
    bool loads = catalog && external_loader(point.settings, *catalog),
         trains = catalog && external_trainer(point.settings, *catalog);
    for (const auto& [mode, trial] : point.trials)
      for (const JudgedRecord& judged : trials.of(trial)) {
        const Facts& f = judged.record->facts;
        loads |= has_loader(f) && mode != Mode::trainer;
        trains |= f.external && !f.external->trainer_call.empty() && mode != Mode::loader;
      }
    if (loads) add_name(out.loaders, point, keys::loader.use);
    if (trains) add_name(out.trainers, point, keys::trainer.use);
  }
}

void add_ways(const Plan& plan, const JudgedTrials& trials, ExternalFindings& out) {
  for (const JudgedRecord& judged : trials.all()) {
    const auto& external = judged.record->facts.external;
    if (!judged.usable() || !external || external->way == ExternalWay::none) continue;
    const Trial& trial = plan.trials[judged.record->planned.trial];
    out.any = external;
    auto& of_mode = out.ways[static_cast<std::size_t>(trial.mode)];
    if (!trial.ablation && !contains(of_mode, external->way)) of_mode.push_back(external->way);
  }
  for (auto& of_mode : out.ways) std::ranges::sort(of_mode);
}

bool is_named(const std::vector<std::string>& names, const Point& point, std::string_view key) {
  const Value* use = point.settings.find(key);
  return use && contains(names, use->text());
}

// Returns them by what they cost, the most first.
std::vector<ExternalFinding> find_faults(const ExternalScene& scene) {
  std::vector<ExternalFinding> found;
  for (FaultLook* const look : kFaults)
    if (auto one = look(scene)) found.push_back(std::move(*one));
  std::ranges::stable_sort(found, std::greater{}, &ExternalFinding::share);
  return found;
}

// A wrapped script may end without a stretch that can be used; what was seen of it is there.
void add_without_window(const Point& point, const JudgedTrials& trials, ExternalFindings& out) {
  auto seen = point_without_window(point, trials);
  if (!seen) return;
  if (!out.any) out.any = seen->facts;
  std::ranges::move(findings_without_window(*seen), std::back_inserter(out.findings));
  out.points.push_back(std::move(*seen));
}

}  // namespace

ExternalFinding finding_of(ExternalFault fault, const ExternalScene& scene) {
  ExternalFinding found;
  found.fault = fault;
  found.point = scene.trial.point.index;
  found.mode = scene.trial.mode;
  found.workers = scene.trial.last_window().workers;
  return found;
}

std::optional<ExternalFinding> costing(ExternalFault fault, const ExternalScene& scene,
                                       const LoaderTrials::Number& ms) {
  ExternalFinding found = finding_of(fault, scene);
  found.ms = scene.trial.mean(ms);
  // Of the same rounds: a cost is a share of its own step.
  found.step_ms = scene.trial.mean(
      [&](const ExternalWindow& w) { return ms(w) ? std::optional(w.step_ms) : std::nullopt; });
  if (!found.ms || !found.step_ms || !is_clear(*found.ms)) return std::nullopt;
  found.share = found.ms->value / found.step_ms->value;
  if (found.share < kWorth - 1e-9) return std::nullopt;
  found.cores = scene.trial.last()->cpu.cores_available;
  return found;
}

std::optional<ExternalFinding> costing_once(ExternalFault fault, const ExternalScene& scene,
                                            const LoaderTrials::Number& ms) {
  auto found = costing(fault, scene, ms);
  if (found && rules::is_of_script(scene.trial.point.settings))
    found->ms = known_once(found->ms->value);
  return found;
}

ExternalFindings external_findings(const Plan& plan, const JudgedTrials& trials,
                                   const std::vector<PointFindings>& points, double memory_bytes,
                                   const Catalog* catalog) {
  ExternalFindings out;
  add_ways(plan, trials, out);
  add_parts(plan, trials, catalog, out);
  for (const Point& point : plan.points) {
    const auto trial = loader_trials(point, trials);
    if (!trial) {
      add_without_window(point, trials, out);
      continue;
    }
    out.points.push_back(external_point(*trial));
    std::ranges::move(find_faults({*trial, points[point.index], memory_bytes}),
                      std::back_inserter(out.findings));
  }
  return out;
}

bool loads_over_there(const Point& point, const ExternalFindings& e) {
  return is_named(e.loaders, point, keys::loader.use);
}
bool trains_over_there(const Point& point, const ExternalFindings& e) {
  return is_named(e.trainers, point, keys::trainer.use);
}

}  // namespace benchbench
