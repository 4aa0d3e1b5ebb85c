#include "harness/analysis/conclusion/next_step.h"

#include <algorithm>
#include <array>

#include "harness/analysis/conclusion/conclusion.h"
#include "harness/analysis/conclusion/depth_to_try.h"
#include "harness/analysis/external/costliest_part.h"
#include "harness/analysis/faults/external_findings.h"
#include "harness/analysis/faults/failed_code.h"
#include "harness/analysis/rates/verdict.h"
#include "harness/analysis/statistics/thresholds.h"
#include "harness/analysis/summary/gain.h"
#include "harness/analysis/summary/point_summary.h"
#include "harness/core/contains.h"
#include "harness/record/resolved_settings.h"
#include "harness/record/setting_keys.h"

namespace benchbench {
namespace {

constexpr std::string_view kWorkers = keys::loader.num_workers;

class NextStep {
 public:
  NextStep(const Plan& plan, const Findings& f, const Conclusion& so_far, const Catalog* catalog)
      : plan_(plan), f_(f), so_far_(so_far), catalog_(catalog) {}

  // A setting is no remedy for code that raises, whichever trials it spared.
  Next find() {
    if (const auto failed = failed_code(plan_, f_.problems))
      return {NextKind::mend_code, {}, failed->points.empty() ? 0 : failed->points.front()};
    if (!so_far_.subject) return without_side();
    at_ = other_point_to_use(f_).value_or(*so_far_.subject);
    if (f_.points[at_].side == Side::unknown && !f_.points[at_].unclear) at_ = *so_far_.subject;
    const PointFindings& p = f_.points[at_];
    if (p.unclear || knows_too_little()) return {NextKind::more_rounds, {}, at_};
    if (so_far_.doubt != Doubt::none)
      return {is_choice_certain(f_) ? NextKind::none : NextKind::more_rounds, {}, at_};
    if (const auto first_worker = one_worker(p); first_worker && p.side == Side::trainer)
      return *first_worker;
    if (const auto component = bound_component()) return change(*component);
    if (const auto depth = another_depth()) return *depth;
    return for_side(p);
  }

 private:
  Next for_side(const PointFindings& p) const {
    switch (p.side) {
      case Side::loader:
        return for_loader();
      case Side::trainer:
        return one_worker(p).value_or(change(costliest_of_step()));
      case Side::contention:
        // Others had what this point lacked: none of its settings is to blame.
        if (f_.warnings.other_programs || p.hindered_by) return {NextKind::none, {}, at_};
        return change(Component::contention);
      default:
        return {f_.indicative ? NextKind::more_rounds : NextKind::both_sides, {}, at_};
    }
  }

  // Of a base that has not run yet, or of settings that were not compared in two rounds.
  bool knows_too_little() const {
    const bool base_is_missing = *so_far_.subject != 0 && f_.trials_missing > 0;
    return base_is_missing || (f_.recommended && is_of_one_round(*f_.recommended));
  }

  Next without_side() {
    at_ = other_point_to_use(f_).value_or(0);
    if (at_ < f_.points.size() && is_locked()) return change(Component::lock);
    const bool some = so_far_.fastest_loader || so_far_.fastest_trainer || so_far_.fastest_pipeline;
    if (some && !all_modes_asked()) return {NextKind::other_modes, {}, 0};
    const bool tried = f_.count(Status::failed) + f_.count(Status::invalid) +
                           f_.count(Status::aborted) + f_.count(Status::skipped) >
                       0;
    return {tried ? NextKind::valid_trials : NextKind::none, {}, 0};
  }

  // Returns true if what was measured names the lock, whichever mode was left out.
  bool is_locked() const {
    const auto& s = f_.substitutions;
    const bool named = s && s->point == at_ && s->bound_by == std::vector{Component::lock};
    return usable_rate(f_.points[at_], Mode::pipeline) &&
           (named || is_held_back_by_lock(f_.points[at_]));
  }

  bool all_modes_asked() const {
    return std::ranges::any_of(plan_.points, [](const Point& p) {
      return trial_of(p, Mode::loader) && trial_of(p, Mode::trainer) && trial_of(p, Mode::pipeline);
    });
  }

  // Substitution takes the base apart: it speaks of another point only where the same side holds
  // that back.
  std::optional<Component> bound_component() const {
    const auto& s = f_.substitutions;
    if (!s || s->bound_by.empty() || s->point >= f_.points.size()) return std::nullopt;
    if (at_ != s->point && f_.points[at_].side != f_.points[s->point].side) return std::nullopt;
    return s->bound_by.front();
  }

  // The step of the point that is spoken of.
  const StepIdentity* step_here() const {
    return find_element(f_.steps, at_, &StepIdentity::point);
  }

  Component costliest_of_step() const {
    const StepIdentity* step = step_here();
    if (!step) return Component::compute;
    if (const auto work = work_after_step(*step)) return *work;
    if (!step->device_parts.empty()) return costliest_on_device(*step);
    double compute = 0;
    for (const char* stage : {"forward", "backward", "optimizer", "sync_blocked"})
      compute += part_ms(step->parts, stage);
    return part_ms(step->parts, "h2d") > compute ? Component::copy : Component::compute;
  }

  static double part_ms(const NamedTimes& parts, std::string_view name) {
    const auto* part = find_element(parts, name, &std::pair<std::string, double>::first);
    return part ? part->second : 0;
  }

  // Checkpoints and post-processing cost a setting or a line of code, no device. Copies that take
  // longer come first. A device with memory of its own works meanwhile, unless it stands still.
  static std::optional<Component> work_after_step(const StepIdentity& step) {
    const double checkpoint = part_ms(step.parts, "checkpoint"),
                 postprocess = part_ms(step.parts, "postprocess"),
                 most = std::max(checkpoint, postprocess),
                 copy = step.device_parts.empty() ? part_ms(step.parts, "h2d")
                                                  : part_ms(step.device_parts, "copy_exposed");
    if (most < kLargePart * step.step_ms || most <= copy) return std::nullopt;
    if (!step.device_parts.empty() && part_ms(step.device_parts, "idle_other") < most / 2)
      return std::nullopt;
    return checkpoint > postprocess ? Component::checkpoint : Component::postprocess;
  }

  // What the device waits for that is neither data nor a copy is the host: launches, or what it
  // reads back. A host that reads back at each step enqueues a copy only when the step before is
  // done, whatever else is set.
  Component costliest_on_device(const StepIdentity& step) const {
    double compute = 0, copy = 0, other = 0;
    for (const auto& [part, ms] : step.device_parts) {
      if (part == "copy_exposed")
        copy += ms;
      else if (part == "idle_other")
        other += ms;
      else if (part != "idle_for_data")
        compute += ms;
    }
    const SettingsMap& settings = plan_.points[at_].settings;
    const double all = compute + copy + other;
    const Component of_host =
        settings.given(keys::trainer.log_every) ? Component::sync : Component::launch;
    if (of_host == Component::launch && other >= kLaunchWaits * all && host_enqueues(step))
      return of_host;
    if (settings.get_if(keys::trainer.log_every) == 1 && std::min(compute, copy) >= kFairPart * all)
      return Component::sync;
    // This costs a line, no device.
    if (copy >= kFairPart * all && can_be_set(Component::copy)) return Component::copy;
    if (copy >= kLargePart * all && copies_bind(settings)) return Component::copy;
    if (compute >= copy && compute >= other) return Component::compute;
    return copy >= other ? Component::copy : of_host;
  }

  // On a stream of their own, with room for the next batch, only a copy that is longer than the
  // step is waited for.
  static bool copies_bind(const SettingsMap& settings) {
    return settings.get_if(keys::trainer.copy_stream) == "own" &&
           settings.get_if(keys::trainer.in_flight).value_or(0) > 1;
  }

  // By a setting that was not tried.
  bool can_be_set(Component component) const {
    if (!catalog_) return false;
    const Advice advice = advise(component, scene(), false);
    return !advice.key.empty() && advice.remedy != Remedy::mock_setting &&
           !tried(advice.key, advice.to);
  }

  // All the time: a device that waits for the host meanwhile is not the limit, however much it
  // computes.
  static bool host_enqueues(const StepIdentity& step) {
    double all = 0;
    for (const auto& [part, ms] : step.parts) all += ms;
    return part_ms(step.parts, "enqueue") >= kNothingElse * all;
  }

  bool tried(std::string_view key, std::string_view to) const {
    const bool swept = std::ranges::any_of(plan_.scenario.axes, [&](const Axis& a) {
      return a.key == key || a.key == key.substr(0, key.find('.')) ||
             (a.key == "loader.shuffle" && key == keys::loader.access);
    });
    return swept && std::ranges::any_of(plan_.points, [&](const Point& p) {
             const Value* value = p.settings.find(key);
             return (value ? value->text() : "none") == to;
           });
  }

  Next change(Component component) const {
    if (component == Component::contention && !wait_for_cores()) return {NextKind::none, {}, at_};
    if (component == Component::compute && !is_step_known()) return {NextKind::none, {}, at_};
    const Advice advice = change_to_advise(component);
    if (component == Component::compute && advice.key.empty() && is_gain_measured())
      return {NextKind::none, {}, at_};
    return {NextKind::change, advice, at_};
  }

  // Returns one by hand where no setting is left.
  Advice change_to_advise(Component component) const {
    Advice by_hand;
    by_hand.component = component;
    if (!catalog_) return by_hand;
    const Advice advice = advise(component, scene(), is_lock_bound() || is_over_there());
    // It stands for a step of its own.
    const bool emulated = component == Component::compute && advice.remedy == Remedy::mock_setting;
    return emulated || (!advice.key.empty() && tried(advice.key, advice.to)) ? by_hand : advice;
  }

  // A setting that was measured and gains enough comes before another device.
  bool is_gain_measured() const {
    const bool other = other_point_to_use(f_).has_value();
    return other && f_.recommended->over_base.ratio &&
           f_.recommended->over_base.ratio->value >= 1 + kLargePart;
  }

  bool is_lock_bound() const {
    const auto& s = f_.substitutions;
    return s && contains(s->bound_by, Component::lock);
  }

  bool is_over_there() const { return loads_over_there(plan_.points[at_], f_.external); }

  // True if it is known how a step spends its time: not so of the user's own, but for a device's
  // parts.
  bool is_step_known() const {
    const StepIdentity* step = step_here();
    return !(trains_over_there(plan_.points[at_], f_.external) || wraps_script(plan_)) ||
           (step && !step->device_parts.empty());
  }

  // Fewer workers or threads leave cores to what waits for one. A step of which that was not
  // measured may be held up by a lock, as Python's.
  bool wait_for_cores() const {
    if (!is_over_there()) {
      const auto share = at_ == 0 && f_.cores ? f_.cores->no_core_share : std::nullopt;
      return share.value_or(1) >= kWorth;
    }
    const ExternalPoint* seen = f_.external.at(at_);
    const Measured& step = f_.points[at_].step_ms;
    if (!seen || !step) return false;
    const double loader = seen->core_wait_loader_ms.value_or(0) / std::max(1u, seen->workers),
                 main = seen->core_wait_main_ms.value_or(0);
    return std::max(loader, main) >= kWorth * step->value;
  }

  AdviceScene scene() const {
    const SettingsMap& settings = plan_.points[at_].settings;
    return {settings, *catalog_, cores_at(settings, f_.environment.cores_available),
            f_.points[at_].own_workers, no_torch()};
  }

  // Seen where loader and step share a process.
  bool no_torch() const {
    const ExternalPoint* seen = f_.external.at(at_);
    return seen && seen->mode == Mode::pipeline && !seen->facts.threads;
  }

  // A change that costs no core comes first, if its gain can be seen in a few rounds. Any
  // order makes a step no longer at a larger depth, so that the depth may stay as it is.
  std::optional<Next> another_depth() const {
    const DepthForetold* d = depth_to_tell(f_);
    const ForetoldStep* step = d && d->point == at_ ? depth_to_try(f_, *d) : nullptr;
    if (!step || foretold_gain(*d, *step) < kLargePart || is_held_back_by_lock(f_.points[at_]))
      return std::nullopt;
    const bool deeper = step->in_order == d->measured.in_order;
    if (!deeper && step->prefetch > d->measured.prefetch) return std::nullopt;
    if (deeper && !is_depth_set(d->measured.prefetch)) return std::nullopt;
    const auto advice =
        deeper ? setting(Component::order, Remedy::deeper, keys::loader.prefetch_factor,
                         std::to_string(d->measured.prefetch), std::to_string(step->prefetch))
               : setting(Component::order, Remedy::out_of_order, keys::loader.in_order, "true",
                         "false");
    if (!advice) return std::nullopt;
    return Next{NextKind::change, advice, at_};
  }

  // loader.max_jobs has not taken its place.
  bool is_depth_set(std::uint32_t measured) const {
    const auto set = plan_.points[at_].settings.get_if(keys::loader.prefetch_factor);
    return set.value_or(measured) == measured && measured > 0;
  }

  Next for_loader() const {
    if (workers_wait_for_lock(f_.points[at_])) return change(Component::lock);
    if (is_over_there()) return for_own_loader();
    const std::int64_t now = workers_of(plan_.points[at_]),
                       more = std::max<std::int64_t>(1, twice_as_far_as_cores_go(now));
    if (has_most_workers() && more > now && !cores_busy() && !workers_are_no_help())
      if (const auto advice = workers(more)) return {NextKind::more_workers, advice, at_};
    if (!f_.substitutions) return {NextKind::substitute, {}, at_};
    return {};
  }

  // Workers beyond all that were tried of the point's kind; where some were and it is the point to
  // use all the same, they are not what it lacks.
  bool has_most_workers() const {
    const Point& here = plan_.points[at_];
    return std::ranges::none_of(plan_.points, [&](const Point& p) {
      return workers_of(p) > workers_of(here) &&
             settings_but_workers(p) == settings_but_workers(here);
    });
  }

  Next for_own_loader() const {
    const ExternalPoint* seen = f_.external.at(at_);
    const WorkersForetold foretold =
        seen && seen->batch ? foretell_workers(*seen->batch) : WorkersForetold{};
    if (foretold.limit == WorkersLimit::workers && has_most_workers() && !workers_are_no_help())
      if (const auto advice = workers(foretold.workers))
        return {NextKind::more_workers, advice, at_, false, foretold};
    Next next = in_own_code();
    if (foretold.limit != WorkersLimit::workers && !workers_are_no_help()) next.workers = foretold;
    return next;
  }

  // At the rate C all cores are busy: so they are from C/F times the workers on that reached F.
  // Workers that wait for something else than a core may be more than there are cores.
  std::int64_t twice_as_far_as_cores_go(std::int64_t now) const {
    const PointFindings& p = f_.points[at_];
    if (!p.cpu_rate || !p.pipeline_rate || !(p.pipeline_rate->value > 0)) return 2 * now;
    return static_cast<std::int64_t>(
        std::min(2.0 * static_cast<double>(now),
                 static_cast<double>(now) * p.cpu_rate->value / p.pipeline_rate->value));
  }

  // Of a loader of the user's: it has none that the harness could start, or what is wrong with it
  // more of them do not mend.
  bool workers_are_no_help() const {
    return f_.points[at_].own_workers ||
           std::ranges::any_of(f_.external.findings, [&](const ExternalFinding& found) {
             using enum ExternalFault;
             constexpr std::array kNotMended{idle_workers,       threads,      cpu_limit, in_memory,
                                             iterator_each_step, without_fetch};
             return found.point == at_ && contains(kNotMended, found.fault);
           });
  }

  // No component of it can be replaced: what it was seen to spend its time on is what there is to
  // change.
  Next in_own_code() const {
    const ExternalPoint* seen = f_.external.at(at_);
    if (seen && find_costliest_part(*seen)) return {NextKind::own_code, {}, at_};
    return f_.points[at_].own_workers ? Next{NextKind::own_batches, {}, at_} : Next{};
  }

  // Without workers the sides take turns, whichever is longer: one could run both at once, at most
  // at min(L, T, C).
  std::optional<Next> one_worker(const PointFindings& p) const {
    const bool turns = workers_of(plan_.points[at_]) == 0 && !p.own_workers &&
                       p.overlap_efficiency && p.overlap_efficiency->value > 0;
    if (!turns || 1 / p.overlap_efficiency->value < 1 + min_share(p)) return std::nullopt;
    const Next next = for_loader();
    return next.kind == NextKind::more_workers ? std::optional(next) : std::nullopt;
  }

  bool cores_busy() const { return at_ == *so_far_.subject && so_far_.cores_busy; }

  std::optional<Advice> workers(std::int64_t count) const {
    return setting(Component::decode, Remedy::more_workers, kWorkers,
                   std::to_string(workers_of(plan_.points[at_])), std::to_string(count));
  }

  std::optional<Advice> setting(Component component, Remedy remedy, std::string_view key,
                                std::string from, std::string to) const {
    if (catalog_) return change_of(component, remedy, key, to, scene());
    return Advice{component,       remedy,        std::string(key),
                  std::move(from), std::move(to), loads_over_there(plan_.points[at_], f_.external)};
  }

  const Plan& plan_;
  const Findings& f_;
  const Conclusion& so_far_;
  const Catalog* catalog_;
  std::uint32_t at_ = 0;
};

}  // namespace

Next next_step(const Plan& plan, const Findings& findings, const Conclusion& so_far,
               const Catalog* catalog) {
  return NextStep(plan, findings, so_far, catalog).find();
}

}  // namespace benchbench
