// A file a sample, one folder a class: what image_folder, npy and npz have in common. A folder that
// we wrote keeps order, names and labels of its samples in `.benchbench-index`, since those need
// not follow from the files' names.
#pragma once
#include <initializer_list>
#include <optional>
#include <set>
#include <string>

#include "harness/core/byte_span.h"
#include "harness/core/descriptor.h"
#include "scenarios/formats/index_file.h"
#include "scenarios/formats/placed_writer.h"
#include "scenarios/formats/table_archive.h"

namespace benchbench {

inline constexpr const char* kFolderIndex = "/.benchbench-index";

// The index of a folder that we wrote as `made_of`, with names and labels that are sound; nullopt
// where there is none, or no sample in it. ScenarioError.
std::optional<ArchiveIndex> read_folder_index(const std::string& folder, std::string_view made_of);
// Writes it, last of all that goes into the folder, and waits until the device has all of that.
// ScenarioError.
void write_folder_index(const std::string& folder, const ArchiveIndex& index);

// Every sample is a file of its own, as long as it is when it is opened, by its name.
class SampleFolder : public TableArchive {
 public:
  SampleFolder(Descriptor folder, Parts parts)
      : TableArchive(std::move(parts)), folder_(std::move(folder)) {}

  Layout layout() const override {
    return {.samples = table().size(), .shard_ends = {}, .lengths = {}};
  }
  std::uint32_t files() const noexcept override {
    return static_cast<std::uint32_t>(table().size());
  }
  std::string_view path(std::uint32_t file) const noexcept override { return table().name(file); }
  int folder() const noexcept override { return folder_.get(); }
  Extent extent(SampleId id) const override {
    return {static_cast<std::uint32_t>(id), 0, Extent::kToTheEnd};
  }

 private:
  Descriptor folder_;
};

class SampleFolderWriter : public PlacedWriter {
 protected:
  // `made_of` is what read_folder_index() is asked for.
  SampleFolderWriter(const WriteOrder& order, std::string made_of);
  // Writes a sample's file, which is named as the sample with `extension` behind it.
  void put(std::string_view name, std::string_view extension, std::int64_t label,
           std::initializer_list<ByteSpan> pieces);

 private:
  void complete() final;

  std::set<std::string, std::less<>> folders_;
  ArchiveIndex index_;
};

}  // namespace benchbench
