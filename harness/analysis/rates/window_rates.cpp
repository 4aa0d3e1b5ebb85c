#include "harness/analysis/rates/window_rates.h"

#include <algorithm>
#include <cmath>

#include "harness/analysis/rates/host_timeline.h"

namespace benchbench {
namespace {

// Returns what the trainer waited for batches over the window: by the loop's own account, else by
// the meter, else what the distribution says, which leaves out the first and the last step, so that
// its mean may be longer than a step.
std::optional<double> waited_ns(const Facts& f) {
  if (f.window.loop.step_ns > 0) return static_cast<double>(f.window.loop.get_ns);
  const StageTotal& stage = total_of(f, Stage::get_blocked);
  if (stage.count > 0) return static_cast<double>(stage.ns);
  if (f.window.get_blocked.n == 0) return std::nullopt;
  return f.window.get_blocked.mean * window_steps(f);
}

}  // namespace

double samples_per_second(double samples, double ns) noexcept {
  return ns > 0 ? samples / (ns * 1e-9) : 0;
}

double rate_of(const Facts& f) noexcept {
  return samples_per_second(window_samples(f), window_ns(f));
}

std::optional<double> log_rate(const Facts& f) {
  const double rate = rate_of(f);
  return rate > 0 ? std::optional(std::log(rate)) : std::nullopt;
}

std::optional<double> step_ms(const Facts& f) {
  if (f.window.steps == 0) return std::nullopt;
  return window_ns(f) * 1e-6 / window_steps(f);
}

std::optional<double> part_of_step_ms(const Facts& f, std::optional<double> share) {
  const auto step = step_ms(f);
  return share && step ? std::optional(*share * *step) : std::nullopt;
}

std::optional<double> waited_share(const Facts& f) {
  const auto ns = waited_ns(f);
  if (!ns || f.window.ns <= 0) return std::nullopt;
  return std::min(1.0, *ns / window_ns(f));
}

std::optional<double> core_wait_share(const Facts& f) {
  const auto& ns = f.window.loop.core_wait_ns;
  if (!ns || f.window.ns <= 0) return std::nullopt;
  return std::clamp(static_cast<double>(*ns) / window_ns(f), 0.0, 1.0);
}

std::optional<double> without_core_share(const Facts& f) {
  const auto waited = core_wait_share(f);
  if (!waited || !f.cpu.run_delay_trainer_s) return waited;
  return std::min(*waited, *f.cpu.run_delay_trainer_s * 1e9 / window_ns(f));
}

std::optional<double> stalled_share(const Facts& f) {
  const auto waited = waited_share(f);
  if (!waited) return std::nullopt;
  return std::min(1.0, *waited + core_wait_share(f).value_or(0));
}

std::optional<double> slot_waited_share(const Facts& f) {
  if (f.workers.count == 0 || f.workers.wall_ns <= 0) return std::nullopt;
  return std::min(
      1.0, static_cast<double>(f.workers.slot_wait_ns) / static_cast<double>(f.workers.wall_ns));
}

}  // namespace benchbench
