#include "scenarios/formats/sample_folder.h"

#include <fmt/format.h>

#include "harness/core/error.h"
#include "scenarios/formats/folder_scan.h"

namespace benchbench {

std::optional<ArchiveIndex> read_folder_index(const std::string& folder, std::string_view made_of) {
  auto index = read_only_index(folder + kFolderIndex, made_of);
  if (!index || index->table.size() == 0) return std::nullopt;
  refuse_unsafe_names(index->table, folder);
  refuse_bad_labels(index->table, folder);
  return index;
}

void write_folder_index(const std::string& folder, const ArchiveIndex& index) {
  if (!write_index(folder + kFolderIndex, index))
    throw ScenarioError(fmt::format("cannot write '{}{}'", folder, kFolderIndex));
  // Once, instead of fdatasync for each of many thousand files.
  sync_file_system(folder);
}

SampleFolderWriter::SampleFolderWriter(const WriteOrder& order, std::string made_of)
    : PlacedWriter(order) {
  make_data_folders(place_.beside());
  index_.made_of = std::move(made_of);
}

void SampleFolderWriter::put(std::string_view name, std::string_view extension, std::int64_t label,
                             std::initializer_list<ByteSpan> pieces) {
  const std::size_t slash = name.rfind('/');
  if (slash != std::string_view::npos && folders_.emplace(name.substr(0, slash)).second)
    make_data_folders(fmt::format("{}/{}", place_.beside(), name.substr(0, slash)));
  WriteFile file = WriteFile::create(fmt::format("{}/{}{}", place_.beside(), name, extension));
  for (const ByteSpan piece : pieces) file.write(piece);
  const std::uint64_t size = file.size();
  file.close(/*sync=*/false);
  index_.table.add(name, label, 0, size);
}

void SampleFolderWriter::complete() { write_folder_index(place_.beside(), index_); }

}  // namespace benchbench
