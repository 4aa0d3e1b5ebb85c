// Writes WebDataset shards.
#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "harness/part/sample_format.h"

namespace benchbench::tar {

// The version of an index of these files; see own_stamp().
inline constexpr std::string_view kVersion = "tar 1";

// At a path that ends in .tar one file, else a folder of shards of about 256 MiB.
std::unique_ptr<SampleWriter> create(const WriteOrder& order);

}  // namespace benchbench::tar
