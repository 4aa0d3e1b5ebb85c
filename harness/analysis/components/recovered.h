// What a step would win if each component were free, one at a time: by substitution, from the
// trials of Point::ablations.
#pragma once
#include <map>

#include "harness/analysis/components/advice.h"
#include "harness/analysis/rates/side.h"
#include "harness/analysis/rules/judged_trials.h"
#include "harness/analysis/statistics/severity.h"

namespace benchbench {

// The components that could be named.
enum class Naming : std::uint8_t { not_measured, none, one, tie };

// The time that a step would win if one component were free.
struct Recovered {
  Component component = Component::storage;
  Measured ms;  // per step; nullopt: not measured
  // Each round's share of that round's own step: what another run is compared with, since `ms`
  // tells shares of the mean step and leaves out what steps differ by.
  ByRound ms_by_round;
  bool planned = false;  // it was to be measured; otherwise freeing it would change nothing
  double share = 0;      // of the step
  bool derived = false;  // from rates, not from a trial in which it alone was free
  Severity severity = Severity::none;  // by share; none where not clear of 0 or not measured
  // True if the step without it is as short as the other side alone: it may cost more than is
  // reported, and its siblings are reported with the same cost.
  bool bounded = false;
};

// The base point taken apart by substitution.
struct Substitutions {
  std::uint32_t point = 0;
  std::uint32_t rounds = 0;  // that the binding component rests on
  double batch = 0;          // samples a step
  Measured step_ms;
  ByRound step_ms_by_round;
  Measured loader_ms, trainer_ms;     // recovered if that whole side were free
  std::vector<Recovered> components;  // by ms, largest first; what was not measured last
  // A worker's wait for a lock that all share, per step; nullopt where it is not metered.
  std::optional<double> lock_wait_ms;
  Naming binding = Naming::not_measured;
  std::vector<Component> bound_by;  // the one named, both of a tie
  // Against the first of `bound_by`; nullopt where analyse() has no catalogue.
  std::optional<Advice> advice;
};

// Of one point, within rounds: each recovered time is a share of its round's step, told in ms of
// the mean step (with S the pipeline's step, S(c) the one with c free, recovered(c) = S − S(c)).
//
//   "free:<component>"   S(c) is that trial's step.
//   compute_bound        where the trainer cannot leave its computing out: S(c) is what `discard`
//                        leaves, the loader's own step, but no less than what the trainer's other
//                        components recover together, since they are still there. Without workers
//                        both add up.
//   tiny_batch           "batch:4": S(c) is the step of four times the batch over four.
//   lock                 "workers:1", where the loader has no substitution of its own: S(c) is the
//                        step that W times one worker's rate would allow, as far as the trainer and
//                        the cores let it; of a trainer that has no usable rate, what it did not
//                        wait of the pipeline's step. What else keeps workers from adding up
//                        (memory, caches, a store's limit) looks the same.
//   contention           S(c) is what the sides and the cores allow each alone.
//
// Named is the largest that recovers min_share() of the step, clear of 0, and a second one that
// overlaps it; four times the batch only where no other explains as much; a lock before all others
// where workers are seen to wait for it (Stage::lock), since what is done while it is held comes
// free with that.
//
// nullopt where the point has no ablations, or its pipeline no usable round.
std::optional<Substitutions> substitutions_of(const Point& point, const JudgedTrials& trials);

// Whose component it is: a loader's is bounded by the trainer, a trainer's by the loader; neither
// for what is of both.
Side side_of(Component component) noexcept;

}  // namespace benchbench
