#include "harness/analysis/external/depth.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "harness/analysis/external/delivery.h"
#include "harness/analysis/statistics/birth_death.h"

namespace benchbench {
namespace {

constexpr double kFits = 0.05;
constexpr std::uint32_t kDepths[] = {1, 2, 4, 8, 16};

struct Window {
  MadeTimes made;
  double trainer_ms = 0;
};

// Of a batch that is ready: the trainer's process rebuilds it, however many are ahead.
double handover_ms(const ExternalFacts& e) {
  return e.handover && e.handover->count > 0 ? 1e-6 * static_cast<double>(e.handover->ns) / static_cast<double>(e.handover->count) : 0;
}

// Of the rounds that have both.
std::vector<Window> windows_of(const LoaderTrials& trial) {
  std::vector<Window> out;
  trial.by_round([&](const ExternalWindow& w) -> std::optional<double> {
    auto made = made_times(w.external);
    if (!made || !w.wait_ms || made->of_each.size() != w.workers) return std::nullopt;
    out.push_back({std::move(*made), std::max(0.0, w.step_ms - std::max(0.0, *w.wait_ms - handover_ms(w.external)))});
    return std::nullopt;
  });
  return out;
}

double mean_of(const std::vector<double>& values) {
  return values.empty() ? 0 : std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

ForetoldStep foretold(const std::vector<Window>& windows, std::uint32_t workers, std::uint32_t prefetch, bool in_order) {
  ForetoldStep out{workers, prefetch, in_order};
  std::vector<double> steps, constant, exponential;
  for (const Window& w : windows) {
    const double made = mean_of(w.made.all);
    steps.push_back(delivered_step_ms(w.made, {workers, prefetch, in_order}, w.trainer_ms));
    constant.push_back(std::max(made / workers, w.trainer_ms));
    const double throughput = w.trainer_ms > 0 && made > 0 ? chain_with_credits(workers, workers * prefetch, made, w.trainer_ms).throughput : 0;
    exponential.push_back(throughput > 0 ? 1 / throughput : constant.back());
  }
  out.step_ms = mean_of(steps), out.constant_ms = mean_of(constant), out.exponential_ms = mean_of(exponential);
  return out;
}

std::vector<std::uint32_t> workers_up_to(std::uint32_t most, bool streams) {
  std::vector<std::uint32_t> out;
  for (std::uint32_t w = 1; w < most && !streams; w *= 2) out.push_back(w);
  out.push_back(most);
  return out;
}

}  // namespace

std::optional<DepthForetold> foretold_depths(const LoaderTrials& trial) {
  if (trial.mode != Mode::pipeline) return std::nullopt;
  const std::vector<Window> windows = windows_of(trial);
  const Measured step = trial.mean([](const ExternalWindow& w) { return std::optional(w.step_ms); });
  if (windows.empty() || !step) return std::nullopt;
  const ExternalFacts& facts = *trial.last()->external;
  const auto workers = static_cast<std::uint32_t>(windows.front().made.of_each.size());
  DepthForetold out;
  out.measured = foretold(windows, workers, facts.prefetch_factor.value_or(2), facts.in_order.value_or(true));
  out.measured_ms = step->value;
  for (const Window& w : windows) out.trainer_ms += w.trainer_ms / static_cast<double>(windows.size());
  if (std::abs(out.off()) > kFits) return out;
  for (const std::uint32_t w : workers_up_to(workers, windows.front().made.streams))
    for (const std::uint32_t depth : kDepths)
      for (const bool in_order : {true, false}) out.steps.push_back(foretold(windows, w, depth, in_order));
  return out;
}

}  // namespace benchbench
