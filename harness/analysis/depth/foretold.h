// What other numbers of batches ahead, another order and fewer workers would make of a step that
// was measured.
#pragma once
#include <cstdint>
#include <vector>

namespace benchbench {

// What a step would take with other settings, by the times that batches took in the workers. In ms,
// means over the rounds.
struct ForetoldStep {
  // `prefetch` is 0 where loader.max_jobs is no multiple of the workers.
  std::uint32_t workers = 0, prefetch = 0;
  bool in_order = true;
  double step_ms = 0;
  // With batches that all take the mean, and with exponential times, handed over in any order: of
  // those the recorded ones are between.
  double constant_ms = 0, exponential_ms = 0;
};
struct DepthForetold {
  std::uint32_t point = 0;
  bool torch = false;  // of a DataLoader in Python, whose argument names the settings are told by
  // in_order may be advised: this loader knows it, as PyTorch's does from 2.6 on, and no window's
  // batches were late by other programs or for want of a core.
  bool can_be_any_order = true;
  ForetoldStep measured;   // the settings that were measured; step_ms as foretold for them
  double measured_ms = 0;  // and as it was
  double trainer_ms = 0;   // of a step, all but the wait for batches that are not ready
  // Empty where the foretold step is not within 5 % of the measured one.
  std::vector<ForetoldStep> steps;
  double off() const noexcept { return measured.step_ms / measured_ms - 1; }
};

// The least depth of those that make the quickest step, of that order and as many workers as were
// measured; nullptr where there are none.
const ForetoldStep* quickest_depth(const DepthForetold& depth, bool in_order) noexcept;

}  // namespace benchbench
