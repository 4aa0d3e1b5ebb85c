// The files of an archive, and the index that is kept of where samples lie in them: for files that
// we wrote, beside them; for a user's, in the cache folder, good as long as size and time of change
// of every file stay the same.
#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/part/column_names.h"
#include "scenarios/formats/index_file.h"
#include "scenarios/formats/table_archive.h"
#include "scenarios/storage/read_file.h"
#include "scenarios/storage/write_file.h"

namespace benchbench {

// The file itself, or the files of a folder that `is_shard` takes, by name. The remark counts what
// else the folder holds, but for what is hidden and files that are named after a shard
// ("a.tfrecord.idx"); it says `one` ("a .tar file"). ScenarioError, saying `several`, where a
// folder holds none.
struct FoundShards {
  std::vector<std::string> files;
  std::string remark;
};
FoundShards find_shards(const std::string& path, bool (*is_shard)(std::string_view name),
                        std::string_view one, std::string_view several);

// "<file>.benchbench-index", or ".benchbench-index" in a folder.
std::string own_index_at(const std::string& path, bool single_file);

struct ShardStamp {
  std::string name;  // in its folder
  FileStamp stamp;
};
// Returns what the own index of files is made of: their names and sizes. `version` names format and
// layout, "tfrecord 1".
std::string own_stamp(std::string_view version, const std::vector<ShardStamp>& shards);
// Writes the index of what is about to be placed: it saves the first opening its walk.
// ScenarioError where it cannot be written.
void write_own_index(const PendingPlace& place, bool single_file, const ArchiveIndex& index);

// The version of an index with the columns that it was made of: `version` itself where none is
// named.
std::string with_columns(std::string_view version, const ColumnNames& columns);
// The index that is kept of a user's `files`, where it still fits them; see kept_or_walked().
std::optional<ArchiveIndex> kept_index(const std::string& path, std::string_view version,
                                       const std::vector<std::string>& files);
// The archive's parts of `files`, which lie at `path`, by the index that is kept of them, else by
// what `walk` finds, which is then kept. One that points outside the files is none; `content` says
// how much each holds where it is compressed, `head` how many bytes at least are before each
// sample. PartError where a file cannot be looked at.
TableArchive::Parts kept_or_walked(const std::string& path, std::string_view version,
                                   const std::vector<std::string>& files,
                                   const std::function<ArchiveIndex()>& walk,
                                   const std::vector<std::uint64_t>& content = {},
                                   std::uint64_t head = 0);

}  // namespace benchbench
