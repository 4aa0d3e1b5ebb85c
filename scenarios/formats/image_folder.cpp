// One file a sample, one folder a class, as torchvision's ImageFolder reads it.
//
// Order of samples: classes sorted by name, then folders below a class sorted by path, then files
// by name (bytes, not locale). A hidden folder is a class, too. Unlike torchvision, a folder
// without images is no class instead of an error, and images directly in the top folder form one
// class behind the others; the remark says where there are such folders. A folder that we wrote
// keeps the order and labels of its samples in `.benchbench-index`, since those need not follow
// from names.
#include "scenarios/formats/folder_scan.h"
#include "scenarios/formats/format_maker.h"
#include "scenarios/formats/sample_folder.h"

namespace benchbench {
namespace {

constexpr const char* kMadeOf = "image_folder 1";

std::unique_ptr<SampleArchive> open_folder_of_images(const std::string& path, const ColumnNames&) {
  Descriptor folder = open_folder(path);
  if (auto index = read_folder_index(path, kMadeOf))
    return std::make_unique<SampleFolder>(std::move(folder),
                                          TableArchive::Parts{.table = std::move(index->table)});
  FoundImages found = scan_folder(folder, path);
  return std::make_unique<SampleFolder>(
      std::move(folder),
      TableArchive::Parts{.table = std::move(found.table), .remark = std::move(found.remark)});
}

class FolderWriter final : public SampleFolderWriter {
 public:
  explicit FolderWriter(const WriteOrder& order) : SampleFolderWriter(order, kMadeOf) {}

 private:
  void write(std::string_view name, std::int64_t label, ByteSpan payload) override {
    put(name, "", label, {payload});
  }
};

}  // namespace

namespace parts {

extern const PartDescription sample_format_image_folder_description{
    .kind = PartKind::sample_format,
    .name = "image_folder",
    .summary =
        "One JPEG or PNG file per sample in one folder per class, as torchvision's ImageFolder "
        "reads it.",
    .data = DataKind::image,
    .stages = kReadStage,
    .holds = {.images = true},
    .on_disk = {.made_as = "images",
                .files = FormatFiles::tree_only,
                .extensions = {".jpg", ".jpeg", ".JPEG", ".JPG", ".png"},
                .standard_of = {.images = true}},
};

PartMaker sample_format_image_folder_maker() {
  return format_maker<open_folder_of_images, FolderWriter>();
}

}  // namespace parts
}  // namespace benchbench
