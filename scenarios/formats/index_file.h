// A SampleTable kept on disk, so that opening an archive a second time costs one read instead of a
// walk.
//
// File: 8 bytes "BBINDEX2", digest (16 bytes) of all that follows, then `made_of` (what the index
// describes, as text), the shards' names, and one record a sample; integers little-endian, texts
// with their length in front.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "scenarios/formats/sample_table.h"

namespace benchbench {

struct ArchiveIndex {
  std::string made_of;              // must be equal on reading, or the index is for something else
  std::string remark;               // what was passed over
  std::vector<std::string> shards;  // relative to the archive
  SampleTable table;
};

// Written beside, then renamed. False where the place cannot be written: an index is a convenience,
// not a duty.
bool write_index(const std::string& path, const ArchiveIndex& index) noexcept;
// nullopt where there is none, it is damaged, or it was made of something else.
std::optional<ArchiveIndex> read_index(const std::string& path, std::string_view made_of);
// The same for formats whose order, names or labels are nowhere else: one that is there and damaged
// is a ScenarioError, since without it the same files are other samples.
std::optional<ArchiveIndex> read_only_index(const std::string& path, std::string_view made_of);

// Where the index of an archive that is not ours is kept: <cache folder>/index/<digest of the
// archive's path>. Empty where there is no home to keep anything in.
std::string kept_index_path(std::string_view archive_path);

}  // namespace benchbench
