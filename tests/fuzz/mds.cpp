// The index.json of MosaicML's shards, or, behind a zero byte, a shard.
#include <cstddef>
#include <cstdint>
#include <span>

#include "harness/core/error.h"
#include "scenarios/formats/shards/mds_record.h"

namespace {

benchbench::mds::Columns columns_of_ours() {
  return {.all = {{"image", "jpeg", 0}, {"label", "int", 8}, {"name", "str", 0}},
          .image = 0,
          .label = 1,
          .name = 2};
}

void read_shard(std::span<const std::byte> data) {
  benchbench::MemoryBytes bytes(data);
  benchbench::mds::Shard shard{.file = "fuzz.mds", .columns = columns_of_ours()};
  shard.content = shard.stored = data.size();
  for (std::size_t i = 0; i < 4 && i < data.size(); ++i)
    shard.samples |= static_cast<std::uint64_t>(data[i]) << (8 * i);
  benchbench::SampleTable table;
  try {
    benchbench::mds::walk_shard(bytes, shard, 0, table);
  } catch (const benchbench::Malformed&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 0 && data[0] == 0) {
    read_shard(std::as_bytes(std::span(data, size)).subspan(1));
    return 0;
  }
  try {
    benchbench::mds::parse_index({reinterpret_cast<const char*>(data), size}, "/nowhere");
  } catch (const benchbench::ScenarioError&) {
  }
  return 0;
}
