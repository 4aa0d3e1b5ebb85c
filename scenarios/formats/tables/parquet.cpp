// Parquet with a row a sample: column image (binary, or Hugging Face's struct of bytes and path),
// label, name, or those that the user names; one file, or a folder of *.parquet. In the module
// `arrow`.
//
// A row group is read and decoded as a whole and the last one is kept: Parquet knows no smaller
// piece that can be found, so random access over many row groups reads one a sample. Row groups are
// the shards that samplers keep to. The library reads and decodes in one: stage `read` has both,
// and the bytes read are the row group's as they are stored. Written: one file, row groups of about
// 8 MiB (a hundred pictures), images neither compressed nor in a dictionary, pages with a checksum.
#include <fmt/format.h>

#include <optional>

#include "harness/core/error.h"
#include "harness/core/files/little_endian.h"
#include "scenarios/formats/folder_scan.h"
#include "scenarios/formats/format_maker.h"
#include "scenarios/formats/placed_writer.h"
#include "scenarios/formats/remark.h"
#include "scenarios/formats/shards/shard_index.h"
#include "scenarios/formats/table_archive.h"
#include "scenarios/formats/tables/parquet_file.h"
#include "scenarios/storage/extent_reader.h"

namespace benchbench {
namespace {

using parquet_format::File;
using parquet_format::FileWriter;
using parquet_format::Values;

constexpr std::uint64_t kGroupBytes = 8ull << 20;
constexpr std::uint64_t kMaxPayload = 1ull << 30;

struct Group {
  std::uint32_t file = 0;
  int number = 0;  // in its file
};

// In the table, shard is a row group (of all files) and offset a row in it.
class ParquetArchive final : public TableArchive {
 public:
  ParquetArchive(Parts parts, std::vector<Group> groups, const ColumnNames& columns)
      : TableArchive(std::move(parts)), groups_(std::move(groups)), columns_(columns) {}
  const SampleExtents* extents() const override { return nullptr; }
  std::unique_ptr<SampleReader> reader(Runtime& runtime) override;
  const Group& group_of(SampleId id) const { return groups_[table().shard(id)]; }
  std::uint32_t group_number(SampleId id) const { return table().shard(id); }
  std::uint64_t row_of(SampleId id) const { return table().offset(id); }
  const ColumnNames& columns() const noexcept { return columns_; }

 private:
  std::vector<Group> groups_;
  ColumnNames columns_;
};

class GroupReader final : public ReaderOf<ParquetArchive> {
 public:
  using ReaderOf::ReaderOf;

  StoredSample read(SampleId id, StepNumber step, StageMeter& meter) override {
    if (loaded_ != archive_.group_number(id)) load(id, step, meter);
    const ByteSpan payload = values_[archive_.row_of(id)];
    meter.payload(id, payload);
    return {payload, archive_.label_of(id), archive_.name_of(id)};
  }

 private:
  void load(SampleId id, StepNumber step, StageMeter& meter) {
    StageScope scope(meter, runtime_, step, Stage::read);
    loaded_ = kNone;
    const Group& group = archive_.group_of(id);
    if (open_ != group.file)
      file_.emplace(std::string(archive_.path(group.file)), archive_.columns());
    open_ = group.file;
    meter.bytes_read(file_->images(group.number, values_));
    if (archive_.row_of(id) >= values_.ends.size())
      throw PartError(fmt::format("'{}' has changed: no '{}' in it", archive_.path(group.file),
                                  archive_.name_of(id)));
    loaded_ = archive_.group_number(id);
  }

  static constexpr std::uint32_t kNone = ~0u;
  std::optional<File> file_;
  std::uint32_t open_ = kNone, loaded_ = kNone;
  Values values_;
};

std::unique_ptr<SampleReader> ParquetArchive::reader(Runtime& runtime) {
  return std::make_unique<GroupReader>(*this, runtime);
}

std::string name_in(const Values& names, std::uint64_t row, SampleId id) {
  if (row < names.ends.size()) {
    const std::string_view name = as_text(names[row]);
    if (is_safe_name(name)) return std::string(name);
  }
  return fmt::format("sample-{:08}.jpg", id);
}

// How many of its samples have no label.
std::uint64_t add_group(const File& file, const std::string& path, int group, std::uint32_t number,
                        TableArchive::Parts& parts) {
  const std::vector<std::int64_t> labels = file.labels(group);
  const Values names = file.names(group);
  for (std::uint64_t row = 0; row < file.rows(group); ++row) {
    const std::int64_t label = labels.empty() ? 0 : labels[row];
    if (!is_label(label))
      throw ScenarioError(fmt::format("'{}': label {} in row {}", path, label, row));
    parts.table.add(name_in(names, row, parts.table.size()), label, row, 0, number);
  }
  return labels.empty() ? file.rows(group) : 0;
}

bool is_parquet_file(std::string_view name) {
  return name.ends_with(".parquet") && !name.starts_with('.');
}

std::unique_ptr<SampleArchive> open_parquet(const std::string& path, const ColumnNames& columns) {
  FoundShards shards = find_shards(path, is_parquet_file, "a .parquet file", ".parquet files");
  TableArchive::Parts parts{.files = std::move(shards.files)};
  std::vector<Group> groups;
  std::uint64_t unlabelled = 0;
  for (std::uint32_t file_number = 0; file_number < parts.files.size(); ++file_number) {
    const File file(parts.files[file_number], columns);
    for (int group = 0; group < file.groups(); ++group) {
      unlabelled += add_group(file, parts.files[file_number], group,
                              static_cast<std::uint32_t>(groups.size()), parts);
      groups.push_back({file_number, group});
    }
  }
  if (parts.table.size() == 0) throw ScenarioError(fmt::format("no samples in '{}'", path));
  parts.remark = unlabelled_piece(unlabelled, parts.table.size());
  add_remark(parts.remark, shards.remark);
  return std::make_unique<ParquetArchive>(std::move(parts), std::move(groups), columns);
}

class ParquetWriter final : public PlacedWriter {
 public:
  explicit ParquetWriter(const WriteOrder& order) : PlacedWriter(order), file_(place_.beside()) {}

 private:
  void write(std::string_view name, std::int64_t label, ByteSpan payload) override {
    if (payload.size() > kMaxPayload)
      throw ScenarioError(fmt::format("'{}' is too large for a row", name));
    images_.add(payload);
    names_.add(std::as_bytes(std::span(name)));
    labels_.push_back(label);
    if (images_.bytes.size() >= kGroupBytes) end_group();
  }

  void complete() override {
    end_group();
    file_.finish();
  }

  void end_group() {
    if (labels_.empty()) return;
    file_.group(images_, labels_, names_);
    images_.clear();
    names_.clear();
    labels_.clear();
  }

  FileWriter file_;
  Values images_, names_;
  std::vector<std::int64_t> labels_;
};

}  // namespace

namespace parts {

PartMaker sample_format_parquet_maker() { return format_maker<open_parquet, ParquetWriter>(); }

}  // namespace parts
}  // namespace benchbench
