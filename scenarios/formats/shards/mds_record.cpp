#include "scenarios/formats/shards/mds_record.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/files/little_endian.h"
#include "scenarios/formats/folder_scan.h"

namespace benchbench::mds {
namespace {

constexpr std::uint64_t kWord = 4;

std::uint64_t word_at(LookedBytes& bytes, std::uint64_t at, std::uint64_t end) {
  if (at > end || end - at < kWord) throw Malformed{"truncated in a table of sizes", at};
  const auto word = bytes.look(at, kWord);
  if (word.size() != kWord) throw Malformed{"truncated in a table of sizes", at};
  return little_endian(word);
}

std::int64_t label_of(LookedBytes& bytes, std::uint64_t at, std::uint64_t size,
                      const Column& column) {
  std::int64_t value = -1;
  if (column.encoding == "str_int") {
    value = label_in_text(bytes.text(at, std::min<std::uint64_t>(size, 32)));
  } else if (size >= 1 && size <= 8) {
    const std::uint64_t bits = little_endian(bytes.look(at, size));
    const bool negative = column.encoding[0] != 'u' && (bits >> (8 * size - 1)) != 0;
    value = negative ? -1 : static_cast<std::int64_t>(bits);
  }
  if (!is_label(value)) throw Malformed{"the class is not a number from 0 to 2147483647", at};
  return value;
}

std::string safe_name(const std::string& name, const Shard& shard, std::uint64_t row) {
  if (is_safe_name(name)) return name;
  return fmt::format("{}/{:08}.jpg", shard.file.substr(0, shard.file.rfind(".mds")), row);
}

}  // namespace

Record parse_record(LookedBytes& bytes, std::uint64_t begin, std::uint64_t end,
                    const Columns& columns) {
  if (begin > end || end > bytes.size()) throw Malformed{"a sample outside its shard", begin};
  std::uint64_t heads = 0;
  for (const Column& column : columns.all) heads += column.size == 0 ? kWord : 0;
  Record record;
  std::uint64_t head = begin, at = begin + heads;
  for (std::size_t i = 0; i < columns.all.size(); ++i) {
    const Column& column = columns.all[i];
    const std::uint64_t size = column.size != 0 ? column.size : word_at(bytes, head, end);
    head += column.size == 0 ? kWord : 0;
    if (at > end || size > end - at)
      throw Malformed{"the values of a sample are longer than the sample", begin};
    if (i == columns.image) record.image_begin = at, record.image_size = size;
    if (i == columns.label) record.label = label_of(bytes, at, size, column);
    if (i == columns.name) record.name = bytes.text(at, size);
    at += size;
  }
  if (at != end) throw Malformed{"the values of a sample are shorter than the sample", begin};
  return record;
}

void walk_shard(LookedBytes& bytes, const Shard& shard, std::uint32_t number, SampleTable& table) {
  if (bytes.size() != shard.content)
    throw Malformed{"the shard's length differs from index.json", bytes.size()};
  if (word_at(bytes, 0, bytes.size()) != shard.samples)
    throw Malformed{"the shard's sample count differs from index.json", 0};
  const std::uint64_t first = kWord * (shard.samples + 2);
  std::uint64_t begin = word_at(bytes, kWord, bytes.size());
  if (begin < first) throw Malformed{"the first sample overlaps the table of offsets", kWord};
  std::vector<std::uint32_t> ends;  // read first: going back and forth would read each window twice
  for (std::uint64_t row = 0; row < shard.samples; ++row) {
    const std::uint64_t end = word_at(bytes, kWord * (row + 2), bytes.size());
    if (end > bytes.size() || end < (ends.empty() ? begin : ends.back()))
      throw Malformed{"an offset that decreases or is outside the shard", kWord * (row + 2)};
    ends.push_back(static_cast<std::uint32_t>(end));
  }
  for (std::uint64_t row = 0; row < shard.samples; ++row) {
    const Record record = parse_record(bytes, begin, ends[row], shard.columns);
    table.add(safe_name(record.name, shard, row), record.label.value_or(0), begin,
              ends[row] - begin, number);
    begin = ends[row];
  }
}

}  // namespace benchbench::mds
