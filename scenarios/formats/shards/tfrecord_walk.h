// TFRecord's framing: length (8 bytes, little-endian), masked CRC32C of those (4), data, masked
// CRC32C of the data (4).
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/core/byte_span.h"
#include "harness/part/loader.h"
#include "scenarios/formats/index_file.h"
#include "scenarios/formats/proto_wire.h"

namespace benchbench::tfrecord {

inline constexpr std::uint64_t kHead = 12;
inline constexpr std::uint64_t kTail = 4;

std::uint32_t masked(std::uint32_t crc) noexcept;
// The data's length, nullopt where its CRC is wrong. `head` has kHead bytes.
std::optional<std::uint64_t> length_in(ByteSpan head) noexcept;
std::string head_of(std::uint64_t length);
std::string tail_of(std::uint32_t data_crc);
bool tail_fits(ByteSpan tail, std::uint32_t data_crc) noexcept;

// The samples of these files, in the order they lie; table.offset() is where a record begins,
// table.length() all of its bytes. Looks at the lengths and their CRCs and at the small features;
// the data's CRC is checked when a sample is read. ScenarioError with the byte where, for a file
// that is cut short, damaged, compressed, or without images or classes; for a record without a
// feature that `columns` names, with those that it has.
ArchiveIndex walk(const std::vector<std::string>& files, const ColumnNames& columns = {});
// The records of one file, or of bytes in memory (`path` is for messages).
void walk_file(LookedBytes& bytes, const std::string& path, std::uint32_t shard, SampleTable& table,
               const ColumnNames& columns = {});

}  // namespace benchbench::tfrecord
