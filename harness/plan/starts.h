// The cost of starting the user's interpreter, and what follows for a plan.
#pragma once
#include <optional>
#include <string>

#include "harness/plan/planner.h"

namespace benchbench {

// The price of a start in PlanContext::prices: by interpreter and code of loader and trainer
// together. Empty where neither is the user's.
std::string start_key(const SettingsMap& settings);

// Seconds, as earlier runs on this machine had them; nullopt where none tells, or under 1 s.
std::optional<double> known_start(const SettingsMap& settings,
                                  const std::map<std::string, PriceEntry>& prices);

// "a start of your Python takes about 10 s; trials with the same code share one a round".
std::string start_text(double seconds, const SettingsMap& base);

inline constexpr Nanoseconds kLongestGrown = std::chrono::seconds{5};

// Returns a window, if the scenario gives none, that takes as long as a trial's share of a start
// does, in whole halves of a second, up to kLongestGrown. nullopt: it stays as it is.
std::optional<Nanoseconds> grown_window(const Plan& plan, double start_seconds);

}  // namespace benchbench
