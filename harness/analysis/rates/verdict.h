// Which side holds a point back, and what it costs, from the rates of its rounds.
#pragma once
#include "harness/analysis/rates/by_round.h"
#include "harness/analysis/rates/side.h"
#include "harness/analysis/statistics/estimate.h"
#include "harness/analysis/statistics/thresholds.h"

namespace benchbench {

// The side that holds a point back, and its cost.
struct Verdict {
  std::uint32_t rounds = 0;  // with usable L, T and F: what it rests on
  Side side = Side::unknown;
  // Side unknown because the rounds, or the steps of one, differ too much to name one.
  bool unclear = false;
  // The rounds of a wrapped script settle what is said, however few they are.
  std::optional<bool> settled;
  // The share within which L and T are known to lie, where a wrapped script's are balanced.
  std::optional<double> within;
  // The side is named by its waits and because F equals its rate; what it costs beyond the other
  // side is not known.
  bool by_waits = false;
  Measured step_ms;  // wall time of a step of the pipeline
  // Per step of the pipeline, what the loader or trainer that is named takes by itself, batch/L or
  // batch/T: a share of the step within its round, at most all of it, in ms of the mean step.
  Measured side_takes_ms;
  // Per step, what the named side and each side cost: shares of the step with their interval, in ms
  // of the mean step.
  Measured side_cost_ms;  // nullopt where by_waits
  Measured loader_cost_ms, trainer_cost_ms, contention_ms;
};

// Logs of rates (samples/s) by round; empty where a mode was not measured.
struct PointRates {
  ByRound loader, trainer, pipeline, cpu;
  // The pipeline's shares by round: of the window that the trainer waited for batches, and that its
  // thread had no core while its batch was there (without_core_share()); of the workers' time that
  // they waited for credits. Empty where not metered.
  ByRound waited, core_wait, slot_waited;
  // Shares that the cut of their windows leaves unknown: JudgedTrials::phase_share().
  double loader_phase = 0, trainer_phase = 0, pipeline_phase = 0;
  double floor = 0;      // the A/A floor, as a share
  double batch = 0;      // samples a step
  bool overlaps = true;  // num_workers > 0: loading can run beside the step
  // A wrapped script's: expected_spread() of its rounds, by which it is decided what they settle.
  std::optional<double> spread;
};

// True if what is said of the point is no mere indication: its rounds settle it, or are enough.
constexpr bool is_firm(const Verdict& v) noexcept {
  return v.settled.value_or(v.rounds >= kFirmRounds);
}
constexpr double min_share(const Verdict& v) noexcept {
  return min_share(is_firm(v) ? kFirmRounds : 0);
}

// loader cost  = batch·(1/F' − 1/T)    what a free loader would give back
// trainer cost = batch·(1/F' − 1/L)
// contention   = batch·(1/F − 1/F')    what is neither side's
//
// F' = F/(1 − c) is F without the share c of the step in which the trainer's thread had no core
// while its batch was there, but no more than m = min(L, T, C): what is beyond, the slower
// side would have taken anyhow. Where F < 0.95·m, by more than the rounds differ, F' = m. Without
// workers nothing overlaps, by choice, so m is then 1/(1/L + 1/T). Contention is named where it
// reaches min_share, or F' = m for that reason. Each is a share of the step within its round, in ms
// of the mean step; the largest one is the side, if it reaches min_share with an interval clear of
// 0.
//
// The waits decide where that interval is not clear, as the other side's rate differs too much from
// round to round or the cut of the windows leaves too much unknown, or names the side that the
// other never waits for: a trainer that waits for next to nothing while F/(1 − c) equals T sets the
// pace, whatever L is, and so does a loader whose workers wait for next to no credit (or, where
// that is not metered, for which the trainer waits nearly all the time) while F equals L. Where
// neither side waits they are balanced.
//
// The rounds of a wrapped script are few, and no more than it takes: settled_side() of their T/L
// decides between the sides (certainty.h), and F' = m only where the interval that holds the
// expected spread says so. Not settled is a side where F may be less than half of m, or where F is
// faster than the slower side by more than L and T differ. What the waits decide is settled, and so
// is the side of a script without workers: both take turns, and F alone shows how long each takes.
// Contention is settled where other programs leave the machine alone, whose cores it may be else.
Verdict verdict_of(const PointRates& rates);

// Whether F is what L and T in turn give, and not what they give side by side; or at most that,
// where the trainer waits for each batch as long as it takes alone. What F is below that is
// contention.
bool is_serial(const PointRates& rates);

// F / min(L, T, C) within rounds; C is left out where it was not measured.
Measured overlap_efficiency(const PointRates& rates);
// exp(a − b) over the rounds that have both. `phase`: the share that the cut of both windows leaves
// unknown (rates/phase.h). `spread`: PointRates::spread.
Measured ratio_within_rounds(const ByRound& a, const ByRound& b, double phase = 0,
                             std::optional<double> spread = {});

}  // namespace benchbench
