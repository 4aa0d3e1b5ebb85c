#include "harness/tune/tune_findings.h"

#include <algorithm>

#include "harness/analysis/external/external.h"
#include "harness/analysis/statistics/thresholds.h"

namespace benchbench {

bool has_limit(Stop stop) noexcept {
  return stop == Stop::trainer_binds || stop == Stop::cores_bind || stop == Stop::target_met;
}

bool is_too_noisy(const TuneFindings& f) noexcept {
  const TuneResult& result = f.result;
  const bool keeps =
      result.advice == TuneAdvice::keep_yours || result.advice == TuneAdvice::not_finished;
  if (!keeps || result.gains.empty() || has_limit(result.stop)) return false;
  const Gain& g = result.gains.front();
  return g.reference == f.problem.present_point() && g.ratio && !g.of_search && !g.refused &&
         g.ratio->low <= 1 && g.ratio->high > 1 + 2 * f.problem.floor;
}

bool is_unfinished(const TuneFindings& f) noexcept {
  return f.result.stop == Stop::no_budget ||
         (f.result.advice == TuneAdvice::not_finished && !is_too_noisy(f));
}

bool is_limit_unknown(const TuneFindings& f) noexcept {
  return f.problem.limits.memory_bytes && std::ranges::none_of(f.records, [](const Observation& o) {
           return o.memory_bytes.has_value();
         });
}

bool is_over_limit(const TuneFindings& f) noexcept {
  const auto& limit = f.problem.limits.memory_bytes;
  if (!limit || f.result.advice != TuneAdvice::nothing_measured) return false;
  const auto over = [&](const Observation& o) {
    return o.has_rate() && o.memory_bytes && *o.memory_bytes > *limit;
  };
  return std::ranges::any_of(f.records, over);
}

bool is_unusable(const TuneFindings& f) noexcept {
  return f.result.stop == Stop::all_failed && !is_over_limit(f);
}

bool misses_goal(const TuneFindings& f) noexcept {
  const bool unmet = f.problem.limits.target_rate && !f.result.target_met.value_or(false);
  return unmet || is_over_limit(f) || is_limit_unknown(f);
}

bool should_keep_workers(const TuneFindings& f) noexcept {
  return f.epoch_start && f.epoch_start->share() >= kFairPart;
}

}  // namespace benchbench
