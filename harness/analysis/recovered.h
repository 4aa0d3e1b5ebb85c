// What a step would win if each component were free, one at a time: by substitution, from the
// trials of Point::ablations.
#pragma once
#include <map>

#include "harness/analysis/findings.h"
#include "harness/analysis/judged_trials.h"

namespace benchbench {

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

// How long a worker waits per step, on average, for a lock that all share: of all usable rounds of
// the pipeline together. nullopt where its loader meters none.
std::optional<double> lock_wait_ms(const Point& point, const JudgedTrials& trials);

// Whose component it is: a loader's is bounded by the trainer, a trainer's by the loader; neither
// for what is of both.
Side side_of(Component component) noexcept;

}  // namespace benchbench
