#include "harness/analysis/rates/host_timeline.h"

#include <algorithm>
#include <array>
#include <span>

#include "harness/analysis/rates/window_rates.h"

namespace benchbench {
namespace {

constexpr std::array kSynchronous{
    Stage::get_blocked, Stage::h2d,     Stage::forward,      Stage::backward,    Stage::optimizer,
    Stage::d2h,         Stage::enqueue, Stage::sync_blocked, Stage::postprocess, Stage::checkpoint};
constexpr std::array kAsynchronous{Stage::get_blocked,  Stage::h2d, Stage::enqueue,
                                   Stage::sync_blocked, Stage::d2h, Stage::postprocess,
                                   Stage::checkpoint};

constexpr std::array kWork{Stage::forward, Stage::backward, Stage::optimizer};

std::span<const Stage> stages_of_host(const Facts& facts) {
  return facts.device ? std::span<const Stage>(kAsynchronous) : kSynchronous;
}

void add_metered(const Facts& facts, std::span<const Stage> stages, TimeParts& parts) {
  for (const Stage stage : stages)
    if (const StageTotal& total = total_of(facts, stage); total.count > 0)
      parts.emplace_back(name_of(stage), static_cast<double>(total.ns));
}

// Adds a part that no stage is billed for, where it was kept.
void add_if_any(std::string_view name, std::int64_t ns, TimeParts& parts) {
  if (ns > 0) parts.emplace_back(name, static_cast<double>(ns));
}

double sum_of(const TimeParts& parts) {
  double sum = 0;
  for (const auto& [name, ns] : parts) sum += ns;
  return sum;
}

// The stages begin with the wait for a batch, and that for a core follows it.
TimeParts parts_of_host(const Facts& facts) {
  const LoopTimes& loop = facts.window.loop;
  const auto stages = stages_of_host(facts);
  TimeParts parts;
  add_metered(facts, stages.first(1), parts);
  add_if_any("core_wait", loop.core_wait_ns.value_or(0), parts);
  add_metered(facts, stages.subspan(1), parts);
  add_if_any("books", loop.accounting_ns, parts);
  add_if_any("report", loop.report_ns, parts);
  return parts;
}

bool is_trainer_metered(const Facts& facts) {
  return std::ranges::any_of(stages_of_host(facts).subspan(1),
                             [&](Stage stage) { return total_of(facts, stage).count > 0; });
}

}  // namespace

HostTimeline host_timeline(const Facts& facts) {
  const double window = window_ns(facts);
  HostTimeline line{parts_of_host(facts)};
  if (!is_trainer_metered(facts) && facts.window.step.n > 0) {
    // The distribution leaves out the window's first and last step, so this is an estimate, which
    // must not overdraw.
    const double own = facts.window.step.mean * window_steps(facts);
    line.parts.emplace_back("trainer", std::min(own, std::max(0.0, window - sum_of(line.parts))));
  }
  line.other_ns = window - sum_of(line.parts);
  line.residual_share = window > 0 ? line.other_ns / window : 0;
  return line;
}

// What of a step's span no stage is billed for is idle too: the device waits for the host to launch
// the next kernel.
TimeParts device_timeline(const Facts& facts) {
  TimeParts parts;
  if (!facts.device || !times_known(*facts.device)) return parts;
  const DeviceFacts& d = *facts.device;
  add_metered(facts, kWork, parts);
  if (d.copies > 0) parts.emplace_back("copy_exposed", static_cast<double>(d.copy_exposed_ns));
  parts.emplace_back("idle_for_data", static_cast<double>(d.idle_for_data_ns));
  parts.emplace_back("idle_other", static_cast<double>(d.span_ns + d.gaps_ns) - sum_of(parts));
  return parts;
}

TimeParts loader_stages(const Facts& facts) {
  TimeParts parts;
  add_metered(facts, kLoaderStages, parts);
  return parts;
}

}  // namespace benchbench
