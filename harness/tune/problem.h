// What a tune is asked, and the records of what was measured for it.
#pragma once
#include <cstdint>
#include <optional>
#include <ranges>
#include <span>
#include <vector>

#include "harness/analysis/statistics/thresholds.h"
#include "harness/tune/space.h"

namespace benchbench {

struct TuneLimits {
  std::optional<double> memory_bytes;  // of the process tree, as PSS
  std::optional<double> target_rate;   // samples/s: more is worth nothing
  std::optional<double> cores;         // by affinity and quota
};

struct TuneProblem {
  Space space;
  TuneLimits limits;
  PointId present = 0;  // the settings in use: the first reference
  // The defaults, num_workers: 0; measured again with the chosen point.
  std::vector<PointId> references;
  // In samples/s, of every point: left out where a knob changes the step.
  std::optional<double> trainer_rate;
  // The A/A floor: what 95 of 100 pairs of identical trials differ by less than, as a share.
  double floor = 0.055;
  double budget_runs = 0;            // in full runs
  std::uint32_t rounds_per_run = 3;  // of a full run: measure.rounds
  double worth = kWorth;             // the gain that is looked for, as a share of the rate
  double certainty = 0.95;
  // Fewer workers than the present ones, or none, are advised only after this many pairs, and for a
  // gain that these show; 0: as anything else that is cheaper.
  std::uint32_t pairs_for_fewer_workers = 0;
  std::uint64_t seed = 0;  // of the order within pairs
  PointId present_point() const noexcept { return space.canonical(present); }
};

enum class TuneOutcome : std::uint8_t {
  measured,
  stopped_early,  // hopeless: its rate is of a part of the window
  out_of_memory,
  failed,
  invalid,  // it ran to its end, and a rule of validity says that its rate is not to be believed
};

enum class Purpose : std::uint8_t { search, recheck };

// One trial of one point. The loader's own rate is not in it: it misleads the search (the published
// sweep of tests/known_answer/tune). Those of one round ran one after another, in the order of
// their records.
struct Observation {
  PointId point = 0;
  std::uint32_t round = 0;
  Purpose purpose = Purpose::search;
  TuneOutcome outcome = TuneOutcome::measured;
  double rate = 0;                               // samples/s of the pipeline
  std::optional<double> cpu_seconds_per_sample;  // of loader and trainer together
  std::optional<double> memory_bytes;            // the process tree's, as PSS, at its largest
  double cost_runs = 0;                          // in full runs, warm-up included
  // In samples/s of cached batches, where it was measured with this trial.
  std::optional<double> trainer_rate;
  // The share of the window that the step waited for its batch or, that being there, for a core.
  std::optional<double> waited = {};
  // The share of the rate that the cut of its window leaves unknown (phase_share()).
  double phase = 0;
  bool has_rate() const noexcept {
    return rate > 0 && (outcome == TuneOutcome::measured || outcome == TuneOutcome::stopped_early);
  }
};
using Observations = std::span<const Observation>;
inline auto with_rate(Observations records) {
  return records | std::views::filter(&Observation::has_rate);
}

}  // namespace benchbench
