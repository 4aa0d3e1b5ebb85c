// The walk over a tar file's headers that finds its samples.
#pragma once
#include <string>
#include <vector>

#include "scenarios/formats/ignored_files.h"
#include "scenarios/formats/sample_table.h"

namespace benchbench::tar {

struct Found {
  SampleTable table;
  IgnoredFiles ignored;
  std::uint64_t masks = 0;  // PNG images whose key has another image
  bool labelled = true;     // false: no .cls and no folder, so that all have label 0
};

// The samples of WebDataset shards, in the order they lie: KEY.jpg with KEY.cls beside it, a class
// number as text. A PNG image whose key has a JPEG, and KEY.seg.png next to KEY.png, is a mask or
// the like and passed over, unless KEY.seg.cls gives it a class of its own. A sample's name is its
// member's. Where no sample at all has a .cls, the top folders are the classes, sorted.
// ScenarioError, with the byte where, for a file that is cut short or damaged, a sample without a
// class among others that have one, a sample twice in one file, a sparse member (each named), and
// files without samples.
Found walk(const std::vector<std::string>& shard_paths);

}  // namespace benchbench::tar
