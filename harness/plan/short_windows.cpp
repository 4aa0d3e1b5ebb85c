#include "harness/plan/short_windows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "harness/core/error.h"
#include "harness/core/units.h"
#include "harness/plan/price.h"
#include "harness/record/resolved_settings.h"
#include "harness/record/setting_keys.h"

namespace benchbench {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::infinity();
// How far a step may be from what an earlier run or a mock's setting says, either way, before a
// window counts as certain to be too short; and what a step may take that is set to none.
constexpr double kFaster = 2, kSlower = 4, kOverhead = 0.01;

// Every draw is the mean.
bool is_constant(const SettingsMap& s, const std::string& side) {
  return s.text_or(side + ".distribution", "constant") == "constant";
}
std::string human_seconds(double seconds) { return human_duration(from_seconds(seconds)); }

bool is_set(const SettingsMap& s, std::string_view key) { return s.text_or(key, "0B") != "0B"; }

// Times that are known of one side: per batch, and whether they are all that its batch takes.
struct Known {
  double seconds = 0;
  bool whole = false;
  bool exact = true;  // no draw is shorter
};

Known loader_of(const SettingsMap& s) {
  const std::string use = s.text_or(keys::loader.use);
  if (use == "cached_batch") return {0, true, true};
  if (use != "synthetic") return {};
  const double batch = s.get(keys::loader.batch_size);
  const double a_sample = s.seconds_or_zero("loader.read_time") +
                          s.seconds_or_zero("loader.sample_time") +
                          s.seconds_or_zero("loader.transform_time");
  return {batch * a_sample + s.seconds_or_zero("loader.collate_time") +
              s.seconds_or_zero("loader.batch_time"),
          !is_set(s, "loader.sample_bytes"), is_constant(s, "loader")};
}

Known trainer_of(const SettingsMap& s) {
  const std::string use = s.text_or(keys::trainer.use);
  if (use == "discard") return {0, true, true};
  if (use != "timed") return {};
  const double batch = s.get(keys::loader.batch_size);
  const bool more = is_set(s, "trainer.copy_bandwidth") ||
                    is_set(s, keys::trainer.postprocess.every) ||
                    is_set(s, keys::trainer.checkpoint.every);
  return {s.seconds_or_zero("trainer.step_time") + batch * s.seconds_or_zero("trainer.sample_time"),
          !more, is_constant(s, "trainer")};
}

struct Asked {
  double window, batches;
  double least;  // batches that it will have, whatever is asked for
  const WindowClass* needs;
};

Asked asked_of(const Trial& t) {
  const std::int64_t batches = t.settings.get(keys::measure.window_batches);
  return {to_seconds(t.settings.get(keys::measure.window)), static_cast<double>(batches),
          static_cast<double>(
              whole_bursts(static_cast<std::uint64_t>(batches), burst_size(t.settings))),
          &window_class(t.settings.get_if(keys::measure.window_class).value_or(""))};
}

// Returns "" where nothing is known of steps.
std::string describe_length(double batches, const StepBounds& step) {
  if (std::isinf(step.most) || step.least <= 0) return "";
  return fmt::format(" (a window of about {})", human_seconds(batches * step.least));
}

std::string what_would_do(const Asked& a, const StepBounds& step) {
  const double window = std::max(a.window, to_seconds(a.needs->window));
  std::string keys;
  if (window > a.window) keys = fmt::format("measure.window to {}", duration_text(a.needs->window));
  const auto batches = static_cast<double>(a.needs->batches);
  if (a.batches < batches && !can_last(window, a.least, *a.needs, {step.most, step.most}))
    keys += fmt::format("{}measure.window_batches to {}{}", keys.empty() ? "" : " and ",
                        a.needs->batches, describe_length(batches, step));
  return fmt::format("set {}", keys);
}

}  // namespace

StepBounds step_bounds(const Trial& trial, const PlanContext& context) {
  const Known loader = loader_of(trial.settings), trainer = trainer_of(trial.settings);
  const double workers = std::max<double>(1, trial.settings.get(keys::loader.num_workers));
  const auto surely = [](const Known& k) { return k.exact ? k.seconds : k.seconds / kFaster; };
  const double least = std::max(surely(loader) / workers, surely(trainer));
  const PriceEntry* seen = context.simulated ? nullptr : find_price(trial, context);
  const bool set = loader.whole && trainer.whole;
  if (!seen && !set) return {least, kUnknown};
  // Never `least` of what was seen: a run that is refused would teach no other price.
  const double step =
      std::max(seen ? seen->step_seconds : 0, set ? loader.seconds + trainer.seconds : 0);
  return {least, std::max(least, kSlower * step + kOverhead)};
}

// ceil(window / step) batches fit a window that asks for fewer: enough of them where a step is
// under window / (enough - 1). Its last step may end up to a step after `window`.
bool can_last(double window, double batches, const WindowClass& needs,
              const StepBounds& step) noexcept {
  const auto enough = static_cast<double>(needs.batches);
  double most = step.most;
  if (batches < enough) {
    const double longest = window / (enough - 1);
    if (step.least >= longest) return false;
    most = std::min(most, longest);
  }
  return std::max(batches * most, window + most) >= to_seconds(needs.window);
}

void refuse_short_windows(const Plan& plan, const PlanContext& context) {
  const auto lasts = [&](const Trial& trial) {
    const Asked a = asked_of(trial);
    return can_last(a.window, a.least, *a.needs, step_bounds(trial, context));
  };
  const Trial* first = nullptr;
  for (const Trial& trial : plan.trials) {
    if (trial.skip) continue;
    if (lasts(trial)) return;
    if (!first) first = &trial;
  }
  if (!first) return;
  const Asked a = asked_of(*first);
  const StepBounds step = step_bounds(*first, context);
  throw ScenarioError(
      fmt::format("every trial would be INVALID (R07): class {} needs a window of {} and {} "
                  "batches, but measure.window is {} and measure.window_batches {}{}",
                  a.needs->name, duration_text(a.needs->window), a.needs->batches,
                  first->settings.text(keys::measure.window), a.batches,
                  step.least > 0
                      ? fmt::format(", and a step takes {} or more", human_seconds(step.least))
                      : ""),
      what_would_do(a, step));
}

namespace {

// A window of several workers holds two bursts or more, whatever its length, and comes after the
// first fill of the queue and another burst.
void refuse_long_bursts(const Trial& trial, const PlanContext& context) {
  const SettingsMap& s = trial.settings;
  const std::uint64_t burst = burst_size(s);
  if (burst < 2) return;
  const std::uint64_t before = max_jobs_of(s) + burst;
  const auto batches = static_cast<std::uint64_t>(asked_of(trial).least);
  const double step = step_bounds(trial, context).least;
  const Nanoseconds timeout = timeout_of(s);
  const double seconds = static_cast<double>(before + batches) * step;
  if (seconds <= to_seconds(timeout)) return;
  throw ScenarioError(
      fmt::format("a trial would be ended by its timeout: a window of {} holds {} or more, after "
                  "{} that are not counted, of {} each or more: {}, but measure.timeout is {}",
                  counted(s.get(keys::loader.num_workers), "worker"), counted(batches, "batch"),
                  before, human_seconds(step), human_seconds(seconds), duration_text(timeout)),
      "set measure.timeout to more, or use a smaller loader.prefetch_factor or batches that take "
      "less");
}

// Judges warm-up and window alone; until_steady may be over at once.
void refuse_long_window(const SettingsMap& s) {
  const Nanoseconds warm_up =
      parse_duration(s.get_if(keys::measure.warmup).value_or("")).value_or(Nanoseconds{0});
  const Nanoseconds window = s.get(keys::measure.window), timeout = timeout_of(s);
  if (to_seconds(warm_up) + to_seconds(window) <= to_seconds(timeout)) return;
  throw ScenarioError(
      fmt::format(
          "every trial would be ended by its timeout: {}measure.window is {}, but measure.timeout "
          "is {}",
          warm_up.count() > 0 ? fmt::format("measure.warmup is {} and ", duration_text(warm_up))
                              : "",
          duration_text(window), duration_text(timeout)),
      "set measure.timeout to more than both take, and what a trial needs to start, or "
      "measure.window to less");
}

}  // namespace

void refuse_windows_beyond_timeout(const Plan& plan, const PlanContext& context) {
  // A stretch of a script ends with its time, whatever the timeout.
  if (context.simulated || wraps_script(plan)) return;
  for (const Trial& trial : plan.trials) {
    if (trial.skip || !trial.settings.has(keys::measure.window)) continue;
    refuse_long_bursts(trial, context);
    refuse_long_window(trial.settings);
  }
}

}  // namespace benchbench
