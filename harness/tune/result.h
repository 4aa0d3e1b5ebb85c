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
  same_for_less,     // no faster by more than the floor, and cheaper
  change,
};

struct Gain {
  PointId reference = 0;
  Measured ratio;      // chosen over reference; of the recheck's rounds alone, with the noise of all records
  bool shown = false;  // more than the floor leaves of n pairs, with its interval clear of 1
};

struct TuneResult {
  TuneAdvice advice = TuneAdvice::nothing_measured;
  Stop stop = Stop::no;     // Stop::no: it goes on
  PointId chosen = 0;       // the present settings where they are kept
  PointId found = 0;        // the cheapest within `worth` of the best, before it was compared with the present ones
  PointId fastest = 0;      // of the highest believed rate
  Measured rate;            // of `found`, samples/s, as believed after the search; n its trials
  std::vector<Gain> gains;  // of `found` over the references, the present settings first
  double chance_left = 1;
  bool present_works = true;       // false: it failed, or is over a limit
  std::optional<bool> target_met;  // nullopt where none was given
  double cost_runs = 0;
  std::size_t trials = 0, failed = 0, stopped_early = 0, points_measured = 0, points_barred = 0;
};

TuneResult result_of(const TuneProblem& problem, std::span<const Observation> records);

}  // namespace benchbench
