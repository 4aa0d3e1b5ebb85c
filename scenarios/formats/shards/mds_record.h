// The samples of one of MosaicML streaming's shards: count (uint32), count + 1 offsets (uint32),
// then the samples.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "scenarios/formats/looked_bytes.h"
#include "scenarios/formats/sample_table.h"
#include "scenarios/formats/shards/mds_index.h"

namespace benchbench::mds {

struct Record {
  std::uint64_t image_begin = 0, image_size = 0;
  std::optional<std::int64_t> label;
  std::string name;
};

// The sample in [begin, end). Throws Malformed.
Record parse_record(LookedBytes& bytes, std::uint64_t begin, std::uint64_t end,
                    const Columns& columns);
// Adds the shard's samples: table.offset() and length() are those of a whole sample. Throws
// Malformed.
void walk_shard(LookedBytes& bytes, const Shard& shard, std::uint32_t number, SampleTable& table);

}  // namespace benchbench::mds
