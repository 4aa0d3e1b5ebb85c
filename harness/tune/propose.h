// What a tune does next: a pure function of its records, so that a stored tune can be replayed and
// resumed.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "harness/tune/problem.h"

namespace benchbench {

enum class Stop : std::uint8_t {
  no,
  one_point,      // nothing to choose from
  all_failed,     // no trial of the first rounds had a usable rate
  nothing_left,   // no point could win by `worth` at the certainty asked
  trainer_binds,  // the rate is within `worth` of the trainer's
  cores_bind,     // or of what the cores can give
  target_met,     // or the target is reached
  budget,         // it ended before that
  no_budget,      // it is below one pair
};

// One round. Trials run in the order given: each challenger has a trial of the incumbent in its
// round to be compared with, and is on the other side of it the next time.
struct Proposal {
  Stop stop = Stop::no;  // with a reason `trials` is empty
  Purpose purpose = Purpose::search;
  std::uint32_t round = 0;
  std::vector<PointId> trials = {};
  // One of `trials`; of the first rounds, where the present settings do not work, none of them.
  PointId incumbent = 0;
  // In samples/s: a trial that is below after a third of its window may stop.
  std::optional<double> hopeless_below = {};
  double chance_left = 1;  // that some point beats the incumbent by `worth`; of Purpose::search
};

Proposal propose(const TuneProblem& problem, Observations records);

}  // namespace benchbench
