// The request for a search of a wrapped script's settings. It is kept with the search's trials, in
// a run folder within that of the script.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "harness/tune/tune_findings.h"

namespace benchbench {

inline constexpr const char* kSearchFolder = "search";    // in the script's
inline constexpr const char* kSearchFile = "asked.json";  // in that, once its plan is there

// The members that the report needs and no record has.
struct ScriptSearchAsked {
  double budget_seconds = 0;
  std::optional<double> target_rate;  // samples/s above which more is worth nothing
  bool streams = false;               // each worker has a stream of samples of its own
  std::vector<UntriedKnob> not_tried;
};
// `folder`: the script's. Throws StoreError.
void write_search_asked(const std::string& folder, const ScriptSearchAsked& asked);
// nullopt: there is none. Throws StoreError where it cannot be read.
std::optional<ScriptSearchAsked> read_search_asked(const std::string& folder);

// Returns the folder of the search in that of the script.
std::string search_folder(const std::string& folder);

}  // namespace benchbench
