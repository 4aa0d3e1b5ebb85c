// What a tune found: a pure function of its records, at any time.
#pragma once
#include <optional>
#include <span>
#include <vector>

#include "harness/analysis/estimate.h"
#include "harness/tune/propose.h"

namespace benchbench {

enum class TuneAdvice : std::uint8_t {
  nothing_measured,  // no feasible point has a rate
  keep_yours,        // nothing is faster by more than the floor, and nothing as fast is cheaper
  same_for_less,     // no faster by more than the floor, not slower, and cheaper
  change,
};

struct Gain {
  PointId reference = 0;
  // `found` over reference; of the recheck's rounds alone, and of what they differ by.
  Measured ratio;
  // kRecheckRounds pairs or more, more than the floor leaves of them, with their interval clear of
  // 1; exact pairs by more than `worth`.
  bool shown = false;
  bool slower = false;  // likewise, by more than `worth`
  // Of the search: nothing was measured again. The best of several then looks better than it is. n:
  // trials of the one that has fewer.
  bool of_search = false;
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
  bool present_works = true;       // false: it failed, or is over a limit
  std::optional<bool> target_met;  // within `worth` of it, or above; nullopt where none was given
  double cost_runs = 0;
  std::size_t trials = 0, failed = 0, stopped_early = 0, points_measured = 0, points_barred = 0;
};

TuneResult result_of(const TuneProblem& problem, std::span<const Observation> records);

}  // namespace benchbench
