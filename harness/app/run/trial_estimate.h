// Prices what has never run on this machine with a few probe steps, so that a plan's time is not a
// guess.
#pragma once
#include <optional>

#include "harness/app/run/prepared_plan.h"

namespace benchbench {

enum class Probing : std::uint8_t {
  every_trial,  // each distinct loader and trainer without a price
  // For real parts alone: one of each mode, loader, trainer and format of which none has a price.
  one_of_a_kind,
};

// The same trial, but only long enough to see a step's cost; its time limit stays where it is under
// a minute.
Trial probe_of(Trial trial);

// Runs a short trial (a few steps) of those whose data is there, and keeps their prices. Says on
// standard error what it probes, and why a trial fails. Parts that fail stay guessed, and mocks are
// priced by the times they were given. True where a price is new, so that a plan made again would
// be another. Ends after `seconds` where they are given, with what was learned by then; 0 probes
// nothing.
bool probe_prices(PreparedPlan& prepared, Probing which, std::optional<double> seconds = {});

}  // namespace benchbench
