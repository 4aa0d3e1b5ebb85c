// A pipeline's window as its line of workers: what each batch took, and what the trainer did with
// it.
#pragma once
#include <optional>
#include <vector>

#include "harness/analysis/rates/delivery.h"
#include "harness/record/trial_record.h"

namespace benchbench {

struct RecordedLine {
  MadeTimes made;
  std::vector<double> trainer_ms;  // of each batch, or of all their mean
  double step_ms = 0;              // of the window
  DeliverySettings settings;       // that were measured
  bool torch = false, can_be_any_order = true;
  // Other programs kept over kBusyCores cores busy, or workers waited for a core for kFairPart of
  // a step.
  bool disturbed = false;
};

// Of workers of the harness's own from the times of their batches, of a DataLoader in Python from
// those of its workers. nullopt where there are no workers, where samples of a batch are shared
// among them, or where their batches were not timed.
std::optional<RecordedLine> recorded_line(const Facts& facts, const Point& point);

}  // namespace benchbench
