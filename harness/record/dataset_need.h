// Which data a trial's settings ask for, and where it lies: a pure function of the settings, so that plan, the maker
// and a trial's child agree without talking.
#pragma once
#include <string>

#include "harness/record/trial.h"

namespace benchbench {

// For settings with `dataset.path`: the user's own folder or file where dataset.format is what lies there, else its
// conversion in the cache folder, keyed by the digest of path, and format. With dataset.synthesize.*: a folder in the cache
// keyed by the digest of those settings and the format. `ready` is filled from a look at the disk (finished marker).
// nullopt where the settings name no data set.
std::optional<DatasetNeed> dataset_need(const SettingsMap& settings, const std::string& cache_folder);

// $BENCHBENCH_CACHE, else $XDG_CACHE_HOME/benchbench, else ~/.cache/benchbench.
std::string default_cache_folder();

}  // namespace benchbench
