// One file a sample, one folder a class, as torchvision's ImageFolder reads it.
//
// Order of samples: classes sorted by name, then folders below a class sorted by path, then files
// by name (bytes, not locale). A hidden folder is a class, too. Unlike torchvision, a folder
// without images is no class instead of an error, and images directly in the top folder form one
// class behind the others; the remark says where there are such folders. A folder that we wrote
// keeps the order and labels of its samples in `.benchbench-index`, since those need not follow
// from names.
#include <fcntl.h>
#include <fmt/format.h>

#include <set>

#include "harness/core/error.h"
#include "harness/part/catalog.h"
#include "scenarios/formats/folder_scan.h"
#include "scenarios/formats/index_file.h"
#include "scenarios/formats/table_archive.h"
#include "scenarios/storage/write_file.h"

namespace benchbench {
namespace {

constexpr const char* kIndexName = "/.benchbench-index";
constexpr std::string_view kMadeOf = "image_folder 1";

// Every sample is a file of its own, as long as it is when it is opened.
class FolderArchive final : public TableArchive {
 public:
  FolderArchive(FolderHandle folder, SampleTable table, std::string remark)
      : TableArchive({{}, std::move(table), std::move(remark)}), folder_(std::move(folder)) {}

  Layout layout() const override {
    return {.samples = table().size(), .shard_ends = {}, .lengths = {}};
  }
  std::uint32_t files() const noexcept override {
    return static_cast<std::uint32_t>(table().size());
  }
  std::string_view path(std::uint32_t file) const noexcept override { return table().name(file); }
  int folder() const noexcept override { return folder_.descriptor(); }
  Extent extent(SampleId id) const override {
    return {static_cast<std::uint32_t>(id), 0, Extent::kToTheEnd};
  }

 private:
  FolderHandle folder_;
};

std::unique_ptr<SampleArchive> open_folder(std::string_view path, const ColumnNames&) {
  const std::string folder(path);
  FolderHandle handle(folder);
  if (auto index = read_only_index(folder + kIndexName, kMadeOf);
      index && index->table.size() > 0) {
    refuse_unsafe_names(index->table, folder);
    refuse_bad_labels(index->table, folder);
    return std::make_unique<FolderArchive>(std::move(handle), std::move(index->table), "");
  }
  FoundImages found = scan_image_folder(handle, folder);
  return std::make_unique<FolderArchive>(std::move(handle), std::move(found.table),
                                         std::move(found.remark));
}

class FolderWriter final : public SampleWriter {
 public:
  explicit FolderWriter(std::string_view path) : place_(std::string(path)) {
    make_data_folders(place_.beside());
  }

  void add(std::string_view name, std::int64_t label, std::span<const std::byte> payload) override {
    refuse_unsafe_name(name, place_.path());
    const std::size_t slash = name.rfind('/');
    if (slash != std::string_view::npos && folders_.emplace(name.substr(0, slash)).second) {
      make_data_folders(fmt::format("{}/{}", place_.beside(), name.substr(0, slash)));
    }
    WriteFile file = WriteFile::create(fmt::format("{}/{}", place_.beside(), name));
    file.write(payload);
    file.close(/*sync=*/false);
    index_.table.add(name, label, 0, payload.size());
  }

  void finish() override {
    if (index_.table.size() == 0)
      throw ScenarioError(fmt::format("no samples for '{}'", place_.path()));
    index_.made_of = kMadeOf;
    if (!write_index(place_.beside() + kIndexName, index_)) {
      throw ScenarioError(fmt::format("cannot write '{}{}'", place_.beside(), kIndexName));
    }
    // Once, instead of fdatasync for each of many thousand files.
    sync_file_system(place_.beside());
    place_.place();
  }

 private:
  PendingPlace place_;
  std::set<std::string, std::less<>> folders_;
  ArchiveIndex index_;
};

std::unique_ptr<SampleWriter> create_folder(const WriteOrder& order) {
  return std::make_unique<FolderWriter>(order.path);
}

}  // namespace

namespace parts {

constexpr Stage kStagesBilledByFolder[] = {Stage::read};

extern const PartDescription sample_format_image_folder_description{
    .kind = PartKind::sample_format,
    .name = "image_folder",
    .summary =
        "One JPEG or PNG file per sample in one folder per class, as torchvision's ImageFolder "
        "reads it.",
    .data = DataKind::image,
    .stages = kStagesBilledByFolder,
    .holds = {.images = true},
    .on_disk = {.made_as = "images",
                .files = FormatFiles::tree_only,
                .extensions = {".jpg", ".jpeg", ".JPEG", ".JPG", ".png"},
                .standard_of = {.images = true}},
};

PartMaker sample_format_image_folder_maker() {
  return {.format = {.opens = open_folder, .create = create_folder}};
}

}  // namespace parts
}  // namespace benchbench
