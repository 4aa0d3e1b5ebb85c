// How fast files of a folder are written and read, from the disk and from the page cache.
#pragma once
#include <cstdint>
#include <string>

#include "harness/core/runtime.h"

namespace benchbench {

struct DiskSpeed {
  std::uint64_t bytes = 0;  // of the file that was written
  // Bytes per second to the disk, fdatasync included; 0: not measured, here and below.
  double write = 0;
  double read_cold = 0;  // after eviction from the page cache, 4 MiB at a time, one thread
  double read_warm = 0;
  double resident_share = 0;  // of the file that was still in memory after eviction (mincore)
  std::string problem;        // why something was not measured; empty where all was
};

// Writes up to 256 MiB into a nameless file of `folder`, no longer than about a second, and reads
// it for no longer than a second each way. Takes less where less is free. Nothing is thrown.
DiskSpeed measure_disk(const std::string& folder, const Runtime& runtime);

}  // namespace benchbench
