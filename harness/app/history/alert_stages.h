// Where the change of an alert lies, from the stores around it.
#pragma once
#include <string>
#include <vector>

#include "harness/analysis/history/history.h"
#include "harness/record/kept_run.h"

namespace benchbench {

// Stores that one command reads at most: then alerts go without a stage.
inline constexpr std::size_t kStoresRead = 60;

// Fills Alert::stage, the newest changes first, from at most kNightsOfAStage nights on either side
// whose run folders are still in `folders` (as given to history_runs()). A store that cannot be
// read counts as gone. `kept` is what the history was made of.
void add_stages(const std::vector<std::string>& folders, const KeptHistory& kept, History& history);

}  // namespace benchbench
