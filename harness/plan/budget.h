// What gives way where a run would take longer than its budget.
#pragma once
#include <functional>
#include <optional>
#include <string>

#include "harness/record/trial.h"

namespace benchbench {

// What may be cut, as it stands.
struct Cuts {
  std::uint32_t rounds = 3;
  Nanoseconds window{};
  std::int64_t window_batches = 0;
  std::size_t axes = 0;           // the first so many are left
  std::vector<std::string> told;  // each cut in words
};

// Seconds that a plan cut like this would take.
using PriceOfCuts = std::function<double(const Cuts&)>;

// Rounds first, never below 2; then the window, to its class's minimum; then whole axes from the last. Never
// warm-up. Tells where even that is not enough.
Cuts cut_to_budget(const Scenario& scenario, Nanoseconds budget, const PriceOfCuts& price);

}  // namespace benchbench
