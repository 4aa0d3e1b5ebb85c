// A fault: what a run costs that another of the same scenario did not, and which component it lies
// in.
#pragma once
#include <vector>

#include "harness/analysis/components/recovered.h"

namespace benchbench {

// How much more a component recovers than it did: recovered(c) = S − S(c), so the growth is what
// the step grew by less what the step with c free grew by. A fault in c leaves S(c) as it was: its
// growth is all the fault cost. What a fault elsewhere cost stays in S(c), and c has not grown —
// with these exceptions, which decide between growths that overlap:
//
//   bounded   With c free the step is the other side's, whatever else is wrong on c's own: every
//             component of that side has grown alike. One that is not bounded has really undone the
//             fault, and is preferred; where all are bounded nothing here can tell them apart: a
//             tie.
//   general   Four times the batch thins out a tail too, a hand-over out of order hides a slow
//             worker or sample, `discard` leaves out all of the trainer, and workers that do not
//             add up may stand in each other's way for many reasons. Where a component of its own
//             explains as much, it is the one.
//   in step   A slow worker makes each of its stages longer: they grow too, each by its part, and
//             so less than it.
struct Growth {
  Component component = Component::storage;
  Estimate ms;       // per step of the base's batch; the interval as told at name_fault
  double share = 0;  // of the suspect's step
  bool bounded = false;
  bool general = false;
};

struct Fault {
  Naming naming = Naming::not_measured;
  std::vector<Component> named;  // the one; the first two of a tie
  Measured step_growth_ms;
  std::vector<Growth> growths;  // largest first
};

// How the rounds of two runs belong together.
enum class Rounds : std::uint8_t {
  apart,  // two runs, each with rounds of its own
  // The trials of both in the same rounds, side by side: what a round did to all of them cancels
  // out.
  shared,
};

// Both of the same scenario with the same parts; only then it means anything. Growths are of each
// round's milliseconds, so that what steps differ by from round to round is in their intervals:
// means over rounds with Welch's t intervals, or of the differences within rounds where these are
// shared. The 5 % are shared among the components compared (a dozen intervals at 95 % each would
// name a fault in a quarter of the runs without one). Named is what has grown by at least
// min_share() of the suspect's step, with an interval clear of 0, most; `tie` where that of another
// such overlaps it and neither exception above decides. tiny_batch's growth counts four thirds, at
// most the step's own: four times the batch leaves a quarter of what a batch costs. What components
// that are done once a batch (a lock in each call, post-processing, checkpoints, reading the loss)
// have grown by is taken off it. What was planned in one run only counts as 0 in the other: its
// substitution would have changed nothing. What was planned in both and has no usable round in one
// is not compared. "not measured" under two rounds (of both, where they are shared), or where
// nothing can be compared.
Fault name_fault(const Substitutions& base, const Substitutions& suspect,
                 Rounds rounds = Rounds::apart);

}  // namespace benchbench
