#include "scenarios/formats/arrays/array_folder.h"

#include <fmt/format.h>

#include <set>

#include "harness/core/error.h"
#include "scenarios/formats/arrays/array_payload.h"
#include "scenarios/formats/folder_scan.h"
#include "scenarios/formats/index_file.h"
#include "scenarios/formats/table_archive.h"
#include "scenarios/storage/extent_reader.h"
#include "scenarios/storage/write_file.h"

namespace benchbench {
namespace {

constexpr const char* kIndexName = "/.benchbench-index";

std::string made_of(const ArrayFile& file, std::string_view kind) {
  return fmt::format("a file an array 1, {} {}", file.extension(), kind);
}

// A sample's file: its name, and the extension where the name has another.
std::string file_of(std::string_view name, const ArrayFile& file) {
  return name.ends_with(file.extension()) ? std::string(name)
                                          : fmt::format("{}{}", name, file.extension());
}

class ArrayFolder final : public TableArchive {
 public:
  ArrayFolder(FolderHandle folder, SampleTable table, std::string remark, PayloadSpec payload,
              const ArrayFile& file)
      : TableArchive({.files = {},
                      .table = std::move(table),
                      .remark = std::move(remark),
                      .payload = payload}),
        folder_(std::move(folder)),
        file_(file) {
    for (SampleId id = 0; id < this->table().size(); ++id)
      named_alike_ &= this->table().name(id).ends_with(file.extension());
    if (named_alike_) return;
    for (SampleId id = 0; id < this->table().size(); ++id)
      paths_.push_back(file_of(this->table().name(id), file));
  }

  Layout layout() const override {
    return {.samples = table().size(), .shard_ends = {}, .lengths = {}};
  }
  std::uint32_t files() const noexcept override {
    return static_cast<std::uint32_t>(table().size());
  }
  std::string_view path(std::uint32_t file) const noexcept override {
    return named_alike_ ? table().name(file) : std::string_view(paths_[file]);
  }
  int folder() const noexcept override { return folder_.descriptor(); }
  Extent extent(SampleId id) const override {
    return {static_cast<std::uint32_t>(id), 0, Extent::kToTheEnd};
  }
  StoredSample unwrap(SampleId id, std::span<const std::byte> stored, Scratch& scratch,
                      const Runtime& runtime, StepNumber step, StageMeter& meter) const override {
    const StageScope scope(meter, runtime, step, Stage::parse);
    try {
      return sample(id, file_.elements(stored, payload(), scratch));
    } catch (const PartError& error) {
      throw PartError(fmt::format("'{}': {}", table().name(id), error.message()), error.hint());
    }
  }

 private:
  FolderHandle folder_;
  const ArrayFile& file_;
  bool named_alike_ = true;
  std::vector<std::string> paths_;
};

PayloadSpec payload_of_first(const FolderHandle& folder, const SampleTable& table,
                             const std::string& path, const ArrayFile& file) try {
  const std::string first = file_of(table.name(0), file);
  const ReadFile opened = ReadFile::open_at(folder.descriptor(), first.c_str());
  ReadBuffer buffer;
  const std::span<std::byte> bytes = buffer.room(checked_length(opened.size(), first));
  opened.read_at(0, bytes, first);
  return file.payload_of(bytes);
} catch (const PartError& error) {
  throw ScenarioError(fmt::format("'{}/{}': {}", path, table.name(0), error.message()),
                      error.hint());
}

class ArrayFolderWriter final : public SampleWriter {
 public:
  ArrayFolderWriter(const WriteOrder& order, const ArrayFile& file)
      : place_(std::string(order.path)), payload_(order.payload), file_(file) {
    make_data_folders(place_.beside());
  }

  void add(std::string_view name, std::int64_t label, std::span<const std::byte> payload) override {
    refuse_unsafe_name(name, place_.path());
    require_array(payload, payload_, name);
    const std::size_t slash = name.rfind('/');
    if (slash != std::string_view::npos && folders_.emplace(name.substr(0, slash)).second)
      make_data_folders(fmt::format("{}/{}", place_.beside(), name.substr(0, slash)));
    const ArrayFile::Image image = file_.image_of(payload, payload_, room_);
    WriteFile file = WriteFile::create(fmt::format("{}/{}", place_.beside(), file_of(name, file_)));
    file.write(image.head);
    file.write(image.body);
    file.write(image.tail);
    const std::uint64_t size = file.size();
    file.close(/*sync=*/false);
    index_.table.add(name, label, 0, size);
  }

  void finish() override {
    if (index_.table.size() == 0)
      throw ScenarioError(fmt::format("no samples for '{}'", place_.path()));
    index_.made_of = made_of(file_, kind_word(payload_));
    if (!write_index(place_.beside() + kIndexName, index_))
      throw ScenarioError(fmt::format("cannot write '{}{}'", place_.beside(), kIndexName));
    sync_file_system(place_.beside());
    place_.place();
  }

 private:
  PendingPlace place_;
  PayloadSpec payload_;
  const ArrayFile& file_;
  std::set<std::string, std::less<>> folders_;
  std::vector<std::byte> room_;
  ArchiveIndex index_;
};

}  // namespace

std::unique_ptr<SampleArchive> open_array_folder(const std::string& path, const ArrayFile& file) {
  FolderHandle folder(path);
  for (const std::string_view kind : {"volume", "image"}) {
    auto index = read_only_index(path + kIndexName, made_of(file, kind));
    if (!index || index->table.size() == 0) continue;
    refuse_unsafe_names(index->table, path);
    refuse_bad_labels(index->table, path);
    PayloadSpec payload = payload_of_first(folder, index->table, path, file);
    payload.data = kind_from(kind);
    return std::make_unique<ArrayFolder>(std::move(folder), std::move(index->table), "", payload,
                                         file);
  }
  FoundImages found = scan_folder_of(file.extension(), folder, path);
  const PayloadSpec payload = payload_of_first(folder, found.table, path, file);
  return std::make_unique<ArrayFolder>(std::move(folder), std::move(found.table),
                                       std::move(found.remark), payload, file);
}

std::unique_ptr<SampleWriter> create_array_folder(const WriteOrder& order, const ArrayFile& file) {
  return std::make_unique<ArrayFolderWriter>(order, file);
}

}  // namespace benchbench
