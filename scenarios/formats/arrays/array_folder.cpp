#include "scenarios/formats/arrays/array_folder.h"

#include <fmt/format.h>

#include "harness/core/error.h"
#include "scenarios/formats/arrays/array_payload.h"
#include "scenarios/formats/folder_scan.h"
#include "scenarios/formats/sample_folder.h"
#include "scenarios/storage/read_file.h"

namespace benchbench {
namespace {

std::string made_of(const ArrayFile& file, std::string_view kind) {
  return fmt::format("a file an array 1, {} {}", file.extension(), kind);
}

// Returns the ending of a sample's file behind its name: the extension where the name has another.
std::string_view extension_behind(std::string_view name, const ArrayFile& file) {
  return name.ends_with(file.extension()) ? "" : file.extension();
}

std::string file_of(std::string_view name, const ArrayFile& file) {
  return fmt::format("{}{}", name, extension_behind(name, file));
}

class ArrayFolder final : public SampleFolder {
 public:
  ArrayFolder(Descriptor folder, Parts parts, const ArrayFile& file)
      : SampleFolder(std::move(folder), std::move(parts)), file_(file) {
    for (SampleId id = 0; id < table().size(); ++id)
      named_alike_ &= table().name(id).ends_with(file.extension());
    if (named_alike_) return;
    for (SampleId id = 0; id < table().size(); ++id)
      paths_.push_back(file_of(table().name(id), file));
  }

  std::string_view path(std::uint32_t file) const noexcept override {
    return named_alike_ ? table().name(file) : std::string_view(paths_[file]);
  }
  StoredSample unwrap(SampleId id, ByteSpan stored, Scratch& scratch, const Runtime& runtime,
                      StepNumber step, StageMeter& meter) const override {
    const StageScope scope(meter, runtime, step, Stage::parse);
    try {
      return sample(id, file_.elements(stored, payload(), scratch));
    } catch (const PartError& error) {
      throw PartError(fmt::format("'{}': {}", table().name(id), error.message()), error.hint());
    }
  }

 private:
  const ArrayFile& file_;
  bool named_alike_ = true;
  std::vector<std::string> paths_;
};

PayloadSpec payload_of_first(const Descriptor& folder, const SampleTable& table,
                             const std::string& path, const ArrayFile& file) try {
  const std::string first = file_of(table.name(0), file);
  const ReadFile opened = ReadFile::open_at(folder.get(), first.c_str());
  ReadBuffer buffer;
  const std::span<std::byte> bytes = buffer.room(checked_length(opened.size(), first));
  opened.read_at(0, bytes, first);
  return file.payload_of(bytes);
} catch (const PartError& error) {
  throw ScenarioError(fmt::format("'{}/{}': {}", path, table.name(0), error.message()),
                      error.hint());
}

class ArrayFolderWriter final : public SampleFolderWriter {
 public:
  ArrayFolderWriter(const WriteOrder& order, const ArrayFile& file)
      : SampleFolderWriter(order, made_of(file, kind_word(order.payload))),
        payload_(order.payload),
        file_(file) {}

 private:
  void write(std::string_view name, std::int64_t label, ByteSpan payload) override {
    require_array(payload, payload_, name);
    const ArrayFile::Image image = file_.image_of(payload, payload_, room_);
    put(name, extension_behind(name, file_), label,
        {std::as_bytes(std::span(image.head)), image.body, std::as_bytes(std::span(image.tail))});
  }

  PayloadSpec payload_;
  const ArrayFile& file_;
  std::vector<std::byte> room_;
};

}  // namespace

std::unique_ptr<SampleArchive> open_array_folder(const std::string& path, const ArrayFile& file) {
  Descriptor folder = open_folder(path);
  TableArchive::Parts parts;
  std::string_view kept_kind;
  for (const std::string_view kind : {"volume", "image"})
    if (auto index = read_folder_index(path, made_of(file, kind))) {
      parts.table = std::move(index->table);
      kept_kind = kind;
      break;
    }
  if (kept_kind.empty()) {
    FoundImages found = scan_folder(folder, path, file.extension());
    parts.table = std::move(found.table);
    parts.remark = std::move(found.remark);
  }
  parts.payload = payload_of_first(folder, parts.table, path, file);
  if (!kept_kind.empty()) parts.payload.data = kind_from(kept_kind);
  return std::make_unique<ArrayFolder>(std::move(folder), std::move(parts), file);
}

std::unique_ptr<SampleWriter> create_array_folder(const WriteOrder& order, const ArrayFile& file) {
  return std::make_unique<ArrayFolderWriter>(order, file);
}

}  // namespace benchbench
