#include "scenarios/formats/table_archive.h"

#include <fcntl.h>
#include <fmt/format.h>

#include "harness/core/error.h"
#include "scenarios/storage/extent_reader.h"

namespace benchbench {

TableArchive::TableArchive(Parts parts)
    : parts_(std::move(parts)), ends_(parts_.table.shard_ends()) {
  if (parts_.payload.data != DataKind::tokens) return;
  const std::size_t element = size_of(parts_.payload.dtype);
  lengths_.reserve(parts_.table.size());
  for (SampleId id = 0; id < parts_.table.size(); ++id)
    lengths_.push_back(static_cast<std::uint32_t>(parts_.table.length(id) / element));
}

std::unique_ptr<SampleReader> TableArchive::reader(Runtime& runtime) {
  return read_by_extents(*this, runtime);
}

int TableArchive::folder() const noexcept { return AT_FDCWD; }

Extent TableArchive::extent(SampleId id) const {
  return {parts_.table.shard(id), parts_.table.offset(id), parts_.table.length(id)};
}

void TableArchive::refuse(SampleId id, std::string_view what) const {
  throw PartError(fmt::format("'{}' of '{}', at byte {}: {}", table().name(id),
                              path(table().shard(id)), table().offset(id), what));
}

StoredSample TableArchive::unwrap(SampleId id, ByteSpan stored, Scratch&, const Runtime&,
                                  StepNumber, StageMeter&) const {
  return sample(id, stored);
}

}  // namespace benchbench
