#include "harness/analysis/conclusion/step_parts.h"

#include <algorithm>

#include "harness/analysis/conclusion/answer.h"
#include "harness/analysis/conclusion/conclusion.h"
#include "harness/analysis/faults/external_findings.h"
#include "harness/analysis/statistics/thresholds.h"
#include "harness/record/setting_keys.h"

namespace benchbench {
namespace {

// True if the side that is named takes little of the step alone.
bool is_small_side(const Plan& plan, const PointFindings& p) {
  return (p.side == Side::loader || p.side == Side::trainer) && p.side_takes_ms &&
         taken_ms(plan, p) < kSmallSide * p.step_ms->value;
}

// Returns what the step takes longer than alone, without its wait, where the cores are full before
// either side's own rate is reached.
std::optional<double> shared_cores_ms(const Findings& f, const Plan& plan, const PointFindings& p) {
  if (p.side != Side::trainer || !p.side_takes_ms || !p.exposed_wait_ms || !p.cpu_rate ||
      !p.loader_rate || !p.trainer_rate || takes_turns(f, plan, p.point))
    return std::nullopt;
  const double rest = p.step_ms->value - p.side_takes_ms->value - p.exposed_wait_ms->value,
               longer = wraps_script(plan) ? unexplained_ms(p).value_or(rest) : rest;
  const bool full = p.cpu_rate->value < std::min(p.loader_rate->value, p.trainer_rate->value);
  return full && longer >= kLargePart * p.step_ms->value ? std::optional(longer) : std::nullopt;
}

// Adds why no side explains it: nothing where cores do not explain it either, or were not seen.
void add_cores(const ExternalPoint* seen, double unexplained, StepRest& rest) {
  if (!seen || seen->mode != Mode::pipeline) return;
  const double share = std::min(1.0, seen->core_wait_main_ms.value_or(0) / unexplained);
  if (share >= kLargePart)
    rest.core_wait_share = share;
  else if (seen->cores > 0 && seen->runnable_mean.value_or(0) > seen->cores)
    rest.threads = seen->runnable_mean;
}

// Returns the share of the job's time that the iterators take which its steps make; 0 where they
// are not most of what is outside of these.
double share_of_iterators(const Findings& f, const JobTime& job) {
  double share = 0;
  for (const JobPart& part : job.outside)
    if (part.trains && is_at_edge(part)) share += part.share;
  const bool is_most = 2 * share > job.outside_share;
  return is_most && has_fault(f, ExternalFault::iterator_each_step) ? share : 0;
}

}  // namespace

bool takes_turns(const Findings& f, const Plan& plan, std::uint32_t point) {
  const PointFindings& p = f.points[point];
  const auto workers = plan.points[point].settings.get_if(keys::loader.num_workers);
  return p.own_workers ? p.own_in_turn : workers == 0 && !p.steps_elsewhere;
}

const Measured& side_ms(const PointFindings& p) {
  return p.side_takes_ms ? p.side_takes_ms : p.side_cost_ms;
}

std::optional<double> unexplained_ms(const PointFindings& p) {
  if (!p.step_ms || !p.exposed_wait_ms || !p.pipeline_rate || !p.trainer_rate ||
      !(p.trainer_rate->value > 0))
    return std::nullopt;
  const double own = p.step_ms->value * p.pipeline_rate->value / p.trainer_rate->value;
  return std::max(0.0, p.step_ms->value - p.exposed_wait_ms->value - own);
}

std::optional<double> own_step_ms(const PointFindings& p) {
  const auto unexplained = unexplained_ms(p);
  if (!unexplained) return std::nullopt;
  const double wait = std::min(p.exposed_wait_ms->value, p.step_ms->value);
  return p.step_ms->value - wait - *unexplained;
}

double taken_ms(const Plan& plan, const PointFindings& p) {
  const auto own = wraps_script(plan) ? own_step_ms(p) : std::nullopt;
  if (own && p.side == Side::trainer) return *own;
  if (own && p.side == Side::loader && p.loader_rate && p.loader_rate->value > 0)
    return p.step_ms->value * std::min(1.0, p.pipeline_rate->value / p.loader_rate->value);
  return side_ms(p)->value;
}

bool waits_much(const PointFindings& p) {
  return !p.exposed_wait_ms || !p.step_ms ||
         p.exposed_wait_ms->value >= kLargePart * p.step_ms->value;
}

StepRest rest_of_step(const Findings& f, const Plan& plan, const PointFindings& p) {
  StepRest rest;
  if (!is_side_doubted(f)) rest.shared_cores_ms = shared_cores_ms(f, plan, p);
  const auto unexplained = wraps_script(plan) ? unexplained_ms(p) : std::nullopt;
  if (!unexplained) return rest;
  const bool shared = rest.shared_cores_ms.has_value();
  if (*unexplained < kLargePart * p.step_ms->value) {
    rest.waits_too = !shared && p.side == Side::trainer && is_small_side(plan, p);
    return rest;
  }
  add_cores(f.external.at(p.point), *unexplained, rest);
  const bool cores = rest.core_wait_share || rest.threads;
  if (!shared && (cores || is_small_side(plan, p))) rest.unexplained_ms = unexplained;
  return rest;
}

std::optional<EpochRest> rest_of_epoch(const Findings& f, double epoch_seconds) {
  const double gap = f.points.front().epoch_gap_ms.value_or(0) * 1e-3;
  const ExternalPoint* seen = f.external.at(0);
  const double outside =
      seen && seen->job ? seen->job->seconds_a_sample * static_cast<double>(*f.epoch_samples) : 0;
  if (std::max(gap, outside) < kWorth * epoch_seconds) return std::nullopt;
  if (const double share = outside > 0 ? share_of_iterators(f, *seen->job) : 0; share > 0)
    return EpochRest{outside * share / seen->job->outside_share, EpochPart::iterators};
  return outside > gap ? EpochRest{outside, EpochPart::outside}
                       : EpochRest{gap, EpochPart::beginning};
}

bool is_slower_in_all(const Findings& f, const PointFindings& p) {
  const ExternalPoint* seen = f.external.at(p.point);
  return seen && seen->job && seen->job->rate_with_start < (1 - kWorth) * p.pipeline_rate->value;
}

}  // namespace benchbench
