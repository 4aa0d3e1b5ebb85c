// Paths that depend on where the process is, or was started.
#pragma once
#include <filesystem>
#include <string>

namespace benchbench {

// Throws StoreError where the working directory was removed.
std::filesystem::path absolute_path(const std::string& path);

// Returns the folder at `path`, or the nearest above it that is there: a new one would be made in
// it. Throws as absolute_path().
std::filesystem::path nearest_folder(const std::string& path);

// $BENCHBENCH_CACHE, else $XDG_CACHE_HOME/benchbench, else ~/.cache/benchbench; "" where there is
// no home.
std::string users_cache_folder();

// $TMPDIR, else /tmp. Throws StoreError where it is not a folder.
std::string temporary_folder();

}  // namespace benchbench
