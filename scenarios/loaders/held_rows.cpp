#include "scenarios/loaders/held_rows.h"

#include <algorithm>

#include "harness/core/error.h"
#include "harness/part/null_meter.h"

namespace benchbench {

HeldRows::HeldRows(
    SampleArchive& archive, std::size_t row_bytes,
    const std::function<void(std::span<const std::byte>, SampleId, std::byte*)>& make) {
  constexpr std::size_t kMax = 64, kMaxBytes = std::size_t{1} << 30;
  const auto runtime = make_real_runtime();
  const auto reader = archive.reader(*runtime);
  NullMeter meter;
  const SampleId tried = std::min<SampleId>(archive.layout().samples, 4 * kMax);
  for (SampleId id = 0; id < tried && rows_.size() < kMax && rows_.size() * row_bytes < kMaxBytes;
       ++id) {
    try {
      const StoredSample sample = reader->read(id, 0, meter);
      std::vector<std::byte> row(row_bytes);
      make(sample.payload, id, row.data());
      rows_.push_back(std::move(row));
    } catch (const PartError&) {  // another will do
    }
  }
  if (rows_.empty())
    throw PartError("none of the first samples can be read",
                    "loader.payload keeps a few of them in memory");
}

}  // namespace benchbench
