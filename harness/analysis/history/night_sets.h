// The set that a night measures, as the label `set` of its runs names it. Pure.
#pragma once
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/record/kept_run.h"

namespace benchbench {

// "formats,training": names of scenarios, or of run folders behind the night's name.
inline constexpr const char* kSetLabel = "set";

// The digests of series that a night's set does not hold; nullopt where no run of it names its set.
using LeftOut = std::optional<std::set<std::string>>;

// Returns them night by night; `nights` are the runs of each. A series of which nothing ran in any
// of them is in none.
std::vector<LeftOut> left_out_of_sets(const KeptHistory& kept,
                                      const std::vector<std::vector<const KeptRun*>>& nights);

}  // namespace benchbench
