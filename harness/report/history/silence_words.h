// Says why a history is silent: nights that were not judged, or are wide, and series that ended.
#pragma once
#include <string>

#include "harness/analysis/history/history.h"

namespace benchbench {

// Returns "night/base/loader_rate (loader.batch_time 5ms)": the name, and what tells the series
// from others of its name.
std::string series_text(const SeriesHistory& series);
// Returns "not judged in 7 of 16 nights, 1 of 3 series", and below it each cause with its nights
// and what its last one says; nothing where all were judged.
std::string not_judged_lines(const MachineHistory& machine);
// Returns the same of wide nights.
std::string wide_lines(const MachineHistory& machine);
// Returns lines such as "ended: night/base/loader_rate at night n09: ...", the newest first.
std::string ended_lines(const MachineHistory& machine);

}  // namespace benchbench
