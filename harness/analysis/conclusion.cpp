#include "harness/analysis/conclusion.h"

#include <algorithm>

#include "harness/analysis/gain.h"
#include "harness/analysis/point_summary.h"
#include "harness/analysis/verdict.h"

namespace benchbench {
namespace {

bool judged(const PointFindings& p) { return p.side != Side::unknown || p.unclear; }

const PointFindings* find_subject(const Findings& f) {
  for (const auto& wanted : {std::optional<std::uint32_t>(0), f.best})
    if (wanted && *wanted < f.points.size() && judged(f.points[*wanted])) return &f.points[*wanted];
  const auto any = std::find_if(f.points.begin(), f.points.end(), judged);
  return any == f.points.end() ? nullptr : &*any;
}

bool cores_full(const PointFindings& p) {
  if (!p.cpu_rate || !p.loader_rate || !p.trainer_rate) return false;
  const double c = p.cpu_rate->value;
  return c <= std::min(p.loader_rate->value, p.trainer_rate->value) &&
         p.pipeline_rate->value >= kContention * c;
}

std::int64_t workers_of(const Point& p) {
  return integer_setting(p.settings, "loader.num_workers").value_or(0);
}

bool is_large(const Estimate& e) { return e.value >= 1 + min_share(e.n); }
bool is_gain(const Estimate& e) { return is_large(e) && (e.n < 2 || e.low > 1); }

struct Concluding {
  const Plan& plan;
  const JudgedTrials& trials;
  const Findings& findings;
  const PointFindings& at;  // the point spoken of
  const Point& point;
  Conclusion out = {};

  Conclusion result() {
    out.subject = at.point;
    if (at.side_cost_ms && (at.side == Side::loader || at.side == Side::contention))
      out.severity = severity_of(at.side_cost_ms->value / at.step_ms->value);
    out.cores_busy = cores_full(at);
    out.try_workers = 2 * workers_of(point);
    find_more_workers();
    out.workers = out.more ? measured_workers() : unmeasured_workers();
    out.best = best_setting();
    return out;
  }

  Measured speed_up(const Point& other) const {
    const auto from = trial_of(point, Mode::pipeline), to = trial_of(other, Mode::pipeline);
    if (!from || !to) return std::nullopt;
    return ratio_within_rounds(trials.log_rates(*to), trials.log_rates(*from));
  }

  void find_more_workers() {
    const std::string shared = settings_but_workers(point);
    for (const Point& other : plan.points) {
      if (workers_of(other) <= workers_of(point) || settings_but_workers(other) != shared) continue;
      const Measured e = speed_up(other);
      if (e && (!out.more || e->value > out.more_speed_up.value)) out.more = other.index, out.more_speed_up = *e;
    }
  }

  MoreWorkers measured_workers() const {
    const Estimate& e = out.more_speed_up;
    if (is_gain(e)) return MoreWorkers::help;
    if (at.side == Side::unknown) return MoreWorkers::rounds_first;
    if (is_large(e)) return MoreWorkers::gain_in_noise;
    if (!out.cores_busy && e.n > 1 && e.high >= 1 + min_share(e.n)) return MoreWorkers::unclear;
    return MoreWorkers::did_not_help;
  }

  // Without workers loading and training take turns, so whichever is slower is the side, and one worker could
  // run them at once: at most min(L, T, C), which is what the overlap's efficiency is a share of.
  MoreWorkers unmeasured_workers() const {
    if (at.side == Side::unknown) return MoreWorkers::rounds_first;
    if (out.cores_busy) return MoreWorkers::will_not_help;
    if (workers_of(point) == 0)
      return 1 / at.overlap_efficiency->value >= 1 + min_share(at.rounds) ? MoreWorkers::one_overlaps
                                                                             : MoreWorkers::one_hardly;
    if (at.side == Side::trainer) return MoreWorkers::will_not_help;
    return at.side == Side::loader ? MoreWorkers::may_help : MoreWorkers::not_measured;
  }

  BestSetting best_setting() {
    if (!findings.best || plan.points.size() < 2) return BestSetting::unsaid;
    const std::uint32_t best = *findings.best;
    if (best == at.point) return BestSetting::is_this;
    out.best_speed_up = speed_up(plan.points[best]);
    if (out.best_speed_up && !is_gain(*out.best_speed_up))
      return out.more == best ? BestSetting::none_faster : BestSetting::none_clearly_faster;
    return out.more == best ? BestSetting::has_more_workers : BestSetting::is_another;
  }
};

std::optional<std::uint32_t> fastest(const Findings& f, Measured PointFindings::*rate, Mode mode) {
  const PointFindings* found = nullptr;
  for (const PointFindings& p : f.points) {
    const auto status = p.mode_status[static_cast<std::size_t>(mode)];
    if (!status || !is_usable(*status) || !(p.*rate)) continue;
    if (!found || (p.*rate)->value > (found->*rate)->value) found = &p;
  }
  return found ? std::optional(found->point) : std::nullopt;
}

}  // namespace

Conclusion conclude(const Plan& plan, const JudgedTrials& trials, const Findings& findings) {
  if (const PointFindings* subject = find_subject(findings))
    return Concluding{plan, trials, findings, *subject, plan.points[subject->point]}.result();
  Conclusion out;
  out.fastest_loader = fastest(findings, &PointFindings::loader_rate, Mode::loader);
  out.fastest_trainer = fastest(findings, &PointFindings::trainer_rate, Mode::trainer);
  out.fastest_pipeline = fastest(findings, &PointFindings::pipeline_rate, Mode::pipeline);
  return out;
}

}  // namespace benchbench
