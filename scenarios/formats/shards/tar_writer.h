// Writes WebDataset shards.
#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "harness/part/sample_format.h"

namespace benchbench::tar {

// First line of what an index of our own files is made of.
inline constexpr std::string_view kOwnIndex = "tar 1, ours\n";

// "<file>.tar.benchbench-index", or ".benchbench-index" in a folder of shards.
std::string own_index_path(const std::string& path);

// At a path that ends in .tar one file, else a folder of shards of about 256 MiB.
std::unique_ptr<SampleWriter> create(const WriteOrder& order);

}  // namespace benchbench::tar
