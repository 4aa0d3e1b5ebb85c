// The parts of a step, and which of them are worth a word next to the side that is named. Pure.
#pragma once
#include <cstdint>
#include <optional>

#include "harness/analysis/findings.h"

namespace benchbench {

// True if the point has no workers: loader and trainer wait for each other.
bool takes_turns(const Findings& findings, const Plan& plan, std::uint32_t point);

// Returns what the side that is named takes of a step alone, else what it costs.
const Measured& side_ms(const PointFindings& p);
// The ms of a step that neither its wait nor the trainer alone explains; nullopt where one
// of them was not measured.
std::optional<double> unexplained_ms(const PointFindings& p);
// Returns the ms of a step that are the trainer's own: all but these and its wait. nullopt if
// unexplained_ms() is.
std::optional<double> own_step_ms(const PointFindings& p);
// Returns side_ms(), of a wrapped script as its table has it. `side_ms` has a value.
double taken_ms(const Plan& plan, const PointFindings& p);
// False if the step is known to wait for its batches for less than a tenth of its time: then other
// code of the loader's would give back little.
bool waits_much(const PointFindings& p);

// The rest of a step that is worth a word next to its side.
struct StepRest {
  // The step takes longer than alone by this, as the loader's work needs the same cores.
  std::optional<double> shared_cores_ms;
  // No side explains this part of a wrapped script's step.
  std::optional<double> unexplained_ms;
  // The script's thread waits for a core for this share of what no side explains.
  std::optional<double> core_wait_share;
  // Or so many threads run or wait meanwhile, which are more than the cores.
  std::optional<double> threads;
  // The script waits for data, while the trainer, which is named, takes little of the step.
  bool waits_too = false;
  bool has_some() const noexcept { return shared_cores_ms || unexplained_ms || waits_too; }
};
StepRest rest_of_step(const Findings& findings, const Plan& plan, const PointFindings& p);

// The time of an epoch of the base that is not in its steps.
enum class EpochPart : std::uint8_t {
  beginning,
  outside,    // all that a wrapped script does outside of its steps
  iterators,  // which the steps make, and which are most of what is outside
};
struct EpochRest {
  double seconds = 0;
  EpochPart in = EpochPart::beginning;
};
// nullopt: it is too little to be spoken of. `findings` knows the samples of an epoch.
std::optional<EpochRest> rest_of_epoch(const Findings& findings, double epoch_seconds);
// True if a script makes clearly less in all than within its steps.
bool is_slower_in_all(const Findings& findings, const PointFindings& p);

}  // namespace benchbench
