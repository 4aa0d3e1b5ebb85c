// What gives way where a run would take longer than its budget.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "harness/record/trial.h"

namespace benchbench {

inline constexpr std::uint32_t kFirstLookRounds = 3;  // the least that an interval is of use with
inline constexpr std::uint32_t kRoundsToCompare = 2;  // the least with an interval
inline constexpr std::uint32_t kLeastRounds = 1;      // in which nothing is shown to differ
// An axis with more values than this is long: its middle ones go before rounds do. Of a shorter one
// they go before an axis does, if more than two are left.
inline constexpr std::size_t kLongAxis = 3, kShortAxis = 2;

// What cutting must know of a value of an axis. One costs nothing without which the same trials
// would run: it is SKIPPED, or the base point's own, or shares all its trials.
struct SweptValue {
  bool costs = true;
  bool base = false;  // the base point's own
};
struct SweptAxis {
  bool costs = true;  // all of it together
  std::vector<SweptValue> values;
};
using Swept = std::vector<SweptAxis>;

// What may be cut, as it stands.
struct Cuts {
  std::uint32_t rounds = kFirstLookRounds;
  Nanoseconds window{};
  std::int64_t window_batches = 0;
  // Axis by axis the values left, by place; none: it is left out.
  std::vector<std::vector<std::size_t>> values;
  std::vector<std::string> told;  // each cut in words
};

// Seconds that a plan cut like this would take.
using PriceOfCuts = std::function<double(const Cuts&)>;

// Of each in turn as little as fits, the next where all of it is not enough: rounds, down to 3; the
// window, to its class's minimum; the middle values of long axes, from the last axis on, evenly,
// keeping first, last and the base point's own; rounds again, to 1; the middle values of short
// axes; whole axes from the last, never the last that costs anything; then in the same way the axes
// that the command line gave, which none of this touched. Rounds that fit again without what was
// left out come back, up to 3. Never warm-up, never more than was asked for, and nothing that costs
// nothing. The axes of a zip go together and are one here. `told` says where even all of that does
// not fit into `seconds`.
Cuts cut_to_budget(const Scenario& scenario, const Swept& swept, double seconds,
                   const PriceOfCuts& price);

// The scenario with only those values and axes left.
Scenario cut_scenario(Scenario scenario, const Cuts& cuts);

}  // namespace benchbench
