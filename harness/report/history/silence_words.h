// Says why a history is silent: nights that were not judged, or are wide, and series that ended.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "harness/analysis/history/history.h"

namespace benchbench {

// A history in which one series was not judged for this many nights in a row is inconclusive.
inline constexpr std::size_t kUnjudgedInARow = 3;

// Returns "not judged 7 of 16 nights, the last 4 in a row", and below it nights with series and
// reason, the newest first; nothing where all were judged.
std::string not_judged_lines(const MachineHistory& machine);
// Returns the same of wide nights.
std::string wide_lines(const MachineHistory& machine);
// Returns lines such as "ended      night/base/loader_rate at night n09: ...", the newest first.
std::string ended_lines(const MachineHistory& machine);

// The series that were not judged in the most of the last nights, in a row.
struct UnjudgedAtEnd {
  std::size_t nights = 0;
  std::vector<std::string> series;
  std::string reason;  // of the newest night of the first one
};
UnjudgedAtEnd unjudged_at_end(const MachineHistory& machine);

// Returns "night/base/loader_rate and 2 more".
std::string first_and_more(const std::vector<std::string>& names);

}  // namespace benchbench
