// The manifest's file, written once and read whole. Its layout is in dataset.h.
#pragma once
#include <string>

#include "harness/dataset/dataset.h"

namespace benchbench {

// Synced. StoreError where it cannot be written.
void write_manifest(const std::string& path, const Manifest& manifest);
// Writes `text` to `path` and syncs the file and its folder: what makes a data set count as
// finished.
void write_synced(const std::string& path, std::string_view text);

}  // namespace benchbench
