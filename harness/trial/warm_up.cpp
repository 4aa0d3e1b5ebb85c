#include "harness/trial/warm_up.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "harness/record/measure_limits.h"
#include "harness/record/resolved_settings.h"

namespace benchbench {
namespace {

// Steps that may run on batches made before the first step. A process of its own says so itself, at
// each of its epochs.
std::uint64_t prefetched(const TrialContext& context, const TrialParts& parts) {
  if (parts.own_epochs) return 0;
  return context.settings.loader.num_workers == 0 ? 1 : context.settings.loader.max_jobs;
}

// A trainer with first steps of its own makes one more of them in each buffer of its device.
std::uint64_t count_first_steps(const TrialContext& context, const TrialParts& parts) {
  const std::uint64_t first = parts.trainer->first_steps();
  return first == 0 ? 0 : first + context.settings.trainer.upload.in_flight;
}

WarmUpLimits make_limits(const TrialContext& context, const TrialParts& parts) {
  const MeasureSettings& measure = context.settings.measure;
  return {.fixed = measure.warmup,
          .window = measure.window,
          .cap = measure.warmup_cap,
          .prefetched = prefetched(context, parts),
          .least = count_first_steps(context, parts),
          .burst = parts.own_epochs ? 1 : burst_size(context.settings.loader),
          .slope = slope_limit(parts.reads_dataset)};
}
bool shows(const TrialParts& parts) {
  return !parts.own_epochs || (!parts.own_epochs->just_began() && parts.own_epochs->left() == 0);
}

}  // namespace

bool WarmUp::capped() const noexcept {
  if (limits_.cap) return time_ >= *limits_.cap;
  return looked_at_time_ >= 2 * limits_.window &&
         looked_at_ >= std::max<std::uint64_t>(10, 3 * limits_.burst);
}

// Looks at whole bursts: within one, steps wait for it or for nothing.
bool WarmUp::is_steady_after(Nanoseconds step) noexcept {
  ++looked_at_;
  looked_at_time_ += step;
  burst_time_ += step;
  if (looked_at_ % limits_.burst != 0) return false;
  block_.add(std::exchange(burst_time_, Nanoseconds{0}));
  if (block_.steps() < 3 || block_.time() < limits_.window / 4) return false;
  steady_ = std::abs(block_.slope_share()) <= limits_.slope;
  if (!steady_) block_ = {};
  return steady_;
}

bool WarmUp::done_after(Nanoseconds step, bool shows) noexcept {
  ++steps_;
  time_ += step;
  return may_end_after(step, shows) && steps_ >= limits_.least;
}

bool WarmUp::may_end_after(Nanoseconds step, bool shows) noexcept {
  if (limits_.fixed) {
    steady_ = true;
    return time_ >= *limits_.fixed;
  }
  const std::uint64_t unlike = std::max(limits_.prefetched, limits_.least);
  if (shows && steps_ > unlike && is_steady_after(step)) return true;
  return capped();
}

bool in_groups(const TrialParts& parts) noexcept { return parts.own_epochs != nullptr; }

WarmUpResult warm_up(const TrialContext& context, TrialParts& parts, WatchedSteps& steps,
                     DataCache& cache) {
  WarmUp rule(make_limits(context, parts));
  const TimePoint requested = parts.first_batch->requested = context.runtime.now();
  const auto report = [&] {
    steps.report(Phase::warming_up, 0, parts.loop->last_end() - requested);
  };
  if (parts.background) parts.background->start();
  parts.supply->start();
  TimePoint last = parts.first_batch->stepped = steps.step();
  parts.first_batch->loss = last_loss(*parts.trainer);
  report();  // the first batch is there
  for (bool done = rule.done_after(last - requested, shows(parts)); !done;) {
    const TimePoint end = steps.step();
    done = rule.done_after(end - last, shows(parts));
    last = end;
    report();
    if (done || !cache.cold() || !cache.epoch_is_issued()) continue;
    cache.evict_between([] {});
    last = parts.loop->last_end();
  }
  parts.trainer->finish();
  return {.ns = (context.runtime.now() - requested).count(),
          .steps = rule.steps(),
          .steady = rule.steady()};
}

}  // namespace benchbench
