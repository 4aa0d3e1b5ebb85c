#include "scenarios/formats/shards/tfrecord_walk.h"

#include <fmt/format.h>

#include <filesystem>

#include "harness/core/digest.h"
#include "harness/core/error.h"
#include "harness/core/files/little_endian.h"
#include "harness/part/sample_format.h"
#include "scenarios/formats/folder_scan.h"
#include "scenarios/formats/shards/tfrecord_example.h"

namespace benchbench::tfrecord {
namespace {

constexpr std::int64_t kNoLabel = -1;

[[noreturn]] void refuse(const std::string& path, std::uint64_t at, std::string_view what) {
  throw ScenarioError(fmt::format("'{}', at byte {}: {}", path, at, what),
                      "copy or download the file again; every TFRecord has a CRC of its length and "
                      "one of its data");
}

[[noreturn]] void refuse_head(const std::string& path, std::uint64_t at, ByteSpan head) {
  if (at == 0 && head.size() > 1 && head[0] == std::byte{0x1F} && head[1] == std::byte{0x8B})
    throw ScenarioError(fmt::format("'{}' is compressed with gzip: unpack it first", path));
  refuse(path, at,
         at == 0 ? "this is not a TFRecord file"
                 : "wrong CRC of a record's length: the file is damaged");
}

// One class for all where nobody gave any.
std::string settle_labels(SampleTable& table, const std::vector<std::string>& files) {
  const auto [missing, first] = table.unlabelled();
  if (missing == 0) return {};
  if (missing < table.size()) {
    throw ScenarioError(
        fmt::format("'{}' in '{}' has no class, and neither have {} other samples of {}",
                    table.name(first), files[table.shard(first)], missing - 1, table.size()),
        customary_features());
  }
  for (SampleId id = 0; id < table.size(); ++id) table.set_label(id, 0);
  return std::string(kNoLabels);
}

// Names what the record lacks of what it must have; "" where it has all.
std::string find_missing(const Example& example, const ColumnNames& columns) {
  if (!example.has_image)
    return columns.image.empty() ? std::string("no image")
                                 : fmt::format("no feature '{}' of one image", columns.image);
  if (!columns.label.empty() && !example.label)
    return fmt::format("no feature '{}' of one whole number", columns.label);
  if (!columns.name.empty() && !example.name)
    return fmt::format("no feature '{}' of one text", columns.name);
  return {};
}

void add_record(LookedBytes& bytes, const std::string& path, std::uint64_t at, std::uint64_t length,
                std::uint32_t shard, SampleTable& table, const ColumnNames& columns) try {
  const std::uint64_t begin = at + kHead, end = begin + length;
  const Example example = parse_example(bytes, begin, end, columns);
  if (const std::string missing = find_missing(example, columns); !missing.empty())
    throw ScenarioError(fmt::format("'{}', at byte {}: {} in the record; its features: {}", path,
                                    at, missing, features_of(bytes, begin, end)),
                        customary_features());
  const std::int64_t label = example.label.value_or(kNoLabel);
  if (example.label && !is_label(label)) refuse(path, at, fmt::format("the class is {}", label));
  std::string name = example.name.value_or("");
  if (!is_safe_name(name))
    name = fmt::format("{}/{:08}.jpg", std::filesystem::path(path).stem().string(), table.size());
  table.add(name, label, at, kHead + length + kTail, shard);
} catch (const Malformed& error) {
  refuse(path, error.at, fmt::format("{}: the record is not a tf.train.Example", error.what));
}

}  // namespace

std::uint32_t masked(std::uint32_t crc) noexcept {
  return ((crc >> 15) | (crc << 17)) + 0xa282ead8u;
}

std::optional<std::uint64_t> length_in(ByteSpan head) noexcept {
  if (head.size() < kHead || masked(crc32c(head.first(8))) != little_endian(head.subspan(8, 4)))
    return std::nullopt;
  return little_endian(head.first(8));
}

std::string head_of(std::uint64_t length) {
  std::string head;
  put_little_endian(head, length);
  put_little_endian(head, masked(crc32c(head)), 4);
  return head;
}

std::string tail_of(std::uint32_t data_crc) {
  std::string tail;
  put_little_endian(tail, masked(data_crc), 4);
  return tail;
}

bool tail_fits(ByteSpan tail, std::uint32_t data_crc) noexcept {
  return tail.size() == kTail && little_endian(tail) == masked(data_crc);
}

void walk_file(LookedBytes& bytes, const std::string& path, std::uint32_t shard, SampleTable& table,
               const ColumnNames& columns) {
  for (std::uint64_t at = 0; at < bytes.size();) {
    const std::uint64_t left = bytes.size() - at;
    const auto head = bytes.look(at, kHead);
    if (head.size() == kHead && !length_in(head)) refuse_head(path, at, head);
    if (head.size() < kHead)
      refuse(path, at, fmt::format("truncated: {} of the 12 bytes before a record", head.size()));
    const std::uint64_t length = *length_in(head);
    if (left < kHead + kTail || length > left - kHead - kTail)
      refuse(path, at,
             fmt::format("truncated: a record of {} bytes, {} are left", length, left - kHead));
    add_record(bytes, path, at, length, shard, table, columns);
    at += kHead + length + kTail;
  }
}

ArchiveIndex walk(const std::vector<std::string>& files, const ColumnNames& columns) {
  ArchiveIndex found;
  for (std::uint32_t shard = 0; shard < files.size(); ++shard) {
    FileBytes bytes(files[shard]);
    walk_file(bytes, files[shard], shard, found.table, columns);
  }
  if (found.table.size() == 0)
    throw ScenarioError(fmt::format("no records in '{}'{}", files[0],
                                    files.size() > 1 ? " and the other shards" : ""));
  found.remark = settle_labels(found.table, files);
  return found;
}

}  // namespace benchbench::tfrecord
