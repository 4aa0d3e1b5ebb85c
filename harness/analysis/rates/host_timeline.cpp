#include "harness/analysis/rates/host_timeline.h"

#include <algorithm>
#include <array>
#include <span>

namespace benchbench {
namespace {

constexpr std::array kSynchronous{
    Stage::get_blocked, Stage::h2d,     Stage::forward,      Stage::backward,    Stage::optimizer,
    Stage::d2h,         Stage::enqueue, Stage::sync_blocked, Stage::postprocess, Stage::checkpoint};
constexpr std::array kAsynchronous{Stage::get_blocked,  Stage::h2d, Stage::enqueue,
                                   Stage::sync_blocked, Stage::d2h, Stage::postprocess,
                                   Stage::checkpoint};

constexpr std::array kWork{Stage::forward, Stage::backward, Stage::optimizer};

}  // namespace

HostTimeline host_timeline(const Facts& facts) {
  const bool asynchronous = facts.device.has_value();
  const std::span<const Stage> stages =
      asynchronous ? std::span<const Stage>(kAsynchronous) : kSynchronous;
  HostTimeline line;
  double sum = 0;
  bool trainer_metered = false;
  const auto add = [&](std::string_view name, std::int64_t ns) {
    line.parts.emplace_back(name, static_cast<double>(ns));
    sum += static_cast<double>(ns);
  };
  // Adds a part that no stage is billed for, where it was kept.
  const auto add_if_any = [&](std::string_view name, std::int64_t ns) {
    if (ns > 0) add(name, ns);
  };
  for (const Stage stage : stages) {
    const StageTotal& total = total_of(facts, stage);
    if (total.count > 0) add(name_of(stage), total.ns);
    if (stage == Stage::get_blocked)
      add_if_any("core_wait", facts.window.loop.core_wait_ns.value_or(0));
    else
      trainer_metered = trainer_metered || total.count > 0;
  }
  add_if_any("books", facts.window.loop.accounting_ns);
  add_if_any("report", facts.window.loop.report_ns);
  if (!trainer_metered && facts.window.step.n > 0) {
    // The distribution leaves out the window's first and last step, so this is an estimate, which
    // must not overdraw.
    const double left = static_cast<double>(facts.window.ns) - sum;
    const double own = std::min(facts.window.step.mean * static_cast<double>(facts.window.steps),
                                std::max(0.0, left));
    line.parts.emplace_back("trainer", own);
    sum += own;
  }
  const double window = static_cast<double>(facts.window.ns);
  line.other_ns = window - sum;
  line.residual_share = window > 0 ? line.other_ns / window : 0;
  return line;
}

// What of a step's span no stage is billed for is idle too: the device waits for the host to launch
// the next kernel.
std::vector<std::pair<std::string_view, double>> device_timeline(const Facts& facts) {
  std::vector<std::pair<std::string_view, double>> parts;
  if (!facts.device || !times_known(*facts.device)) return parts;
  const DeviceFacts& d = *facts.device;
  double left = static_cast<double>(d.span_ns + d.gaps_ns);
  const auto add = [&](std::string_view name, std::int64_t ns) {
    parts.emplace_back(name, static_cast<double>(ns));
    left -= static_cast<double>(ns);
  };
  for (const Stage stage : kWork)
    if (total_of(facts, stage).count > 0) add(name_of(stage), total_of(facts, stage).ns);
  if (d.copies > 0) add("copy_exposed", d.copy_exposed_ns);
  add("idle_for_data", d.idle_for_data_ns);
  parts.emplace_back("idle_other", left);
  return parts;
}

}  // namespace benchbench
