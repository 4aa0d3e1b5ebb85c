// What a tune found: a pure function of its records, at any time.
#pragma once
#include <optional>
#include <span>
#include <vector>

#include "harness/analysis/statistics/estimate.h"
#include "harness/analysis/statistics/thresholds.h"
#include "harness/tune/propose.h"

namespace benchbench {

enum class TuneAdvice : std::uint8_t {
  nothing_measured,  // no feasible point has a rate
  keep_yours,        // nothing is faster by more than the floor, and nothing as fast is cheaper
  same_for_less,     // likewise, but for something cheaper that its pairs leave little doubt of
  change,
  // The present settings too, for now: too little is known to say that nothing is faster.
  not_finished,
};

// The gain that the present settings leave, by what was seen of them with the pairs.
struct Room {
  double waited = 0;             // the share of the time that the step waited for batches or a core
  double trainer = 0;            // the trainer's own rate over theirs
  double most() const noexcept;  // the largest ratio that a change of the loader can give
};

struct Gain {
  PointId reference = 0;
  // `found` over reference; of the recheck's rounds alone, and of what they differ by.
  Measured ratio;
  // pairs_needed() or more, more than the floor leaves of them, with their interval clear of
  // 1; exact pairs by more than `worth`.
  bool shown = false;
  bool slower = false;  // likewise, by more than `worth`
  // True of a gain of the search: nothing was measured again. The best of several then looks better
  // than it is, so that it has no interval and is not shown. n: trials of the one that has fewer.
  bool of_search = false;
  // The room above the present settings; nullopt where it is not known, where it is a half or more,
  // and where the step itself changes.
  std::optional<Room> room = {};
  // Larger than there is room for: something else came between the pairs. Never shown.
  bool refused = false;
};

struct TuneResult {
  TuneAdvice advice = TuneAdvice::nothing_measured;
  Stop stop = Stop::no;  // Stop::no: it goes on
  PointId chosen = 0;    // the present settings where they are kept
  // The cheapest within `worth` of the best, before it was compared with the present ones.
  PointId found = 0;
  PointId fastest = 0;      // of the highest believed rate
  Measured rate;            // of `found`, samples/s, by the search; n its trials
  std::vector<Gain> gains;  // of `found` over the references, the present settings first
  // trainer_binds, cores_bind or target_met, where `fastest` is within `worth` of it.
  Stop limit = Stop::no;
  bool present_at_limit = false;  // the present settings are too
  double chance_left = 1;
  // The chance that something is faster than the present settings by `worth`: `found` by its pairs,
  // all else by what the search believes of it; 1 where the pairs are too few, 0 where the present
  // settings are at a limit.
  double chance_faster = 1;
  bool present_works = true;       // false: it failed, or is over a limit
  std::optional<bool> target_met;  // within `worth` of it, or above; nullopt where none was given
  double cost_runs = 0;
  std::size_t trials = 0, failed = 0, stopped_early = 0, points_measured = 0, points_barred = 0;
};

// Returns what follows from all else in a result.
TuneAdvice advice_of(const TuneProblem& problem, const TuneResult& result);
TuneResult result_of(const TuneProblem& problem, Observations records);

}  // namespace benchbench
