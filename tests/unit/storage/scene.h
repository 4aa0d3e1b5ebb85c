// Files with known bytes, and extents over them: a format with nothing around its samples.
#pragma once
#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "harness/core/random.h"
#include "harness/part/sample_format.h"
#include "tests/scratch_folder.h"

namespace benchbench::test::storage {

class Scene final : public SampleArchive, public SampleExtents {
 public:
  Scene() : folder_(make_scratch_folder("storage")) {}
  explicit Scene(const std::string& parent) : folder_(make_scratch_folder("storage", parent)) {}
  ~Scene() override { std::filesystem::remove_all(folder_); }

  // A file of `bytes` bytes that differ from file to file; its number.
  std::uint32_t add_file(std::size_t bytes) {
    const auto number = static_cast<std::uint32_t>(paths_.size());
    std::vector<std::byte> made(bytes);
    Random random(number + 77);
    for (std::byte& b : made) b = static_cast<std::byte>(random.next());
    paths_.push_back(folder_ + "/" + std::to_string(number));
    std::ofstream(paths_.back(), std::ios::binary)
        .write(reinterpret_cast<const char*>(made.data()), static_cast<std::streamsize>(bytes));
    bytes_.push_back(std::move(made));
    return number;
  }
  SampleId add(std::uint32_t file, std::uint64_t offset, std::uint64_t length) {
    extents_.push_back({file, offset, length});
    names_.push_back("s" + std::to_string(names_.size()));
    return extents_.size() - 1;
  }
  std::string& path_of(std::uint32_t file) { return paths_[file]; }
  std::span<const std::byte> bytes_of(SampleId id) const {
    const Extent& e = extents_[id];
    const std::span<const std::byte> all = bytes_[e.file];
    return e.length == Extent::kToTheEnd ? all.subspan(e.offset) : all.subspan(e.offset, e.length);
  }
  std::string_view folder_path() const { return folder_; }

  Layout layout() const override {
    return {.samples = extents_.size(), .shard_ends = {}, .lengths = {}};
  }
  std::uint32_t classes() const override { return 1; }
  std::string_view name_of(SampleId id) const override { return names_[id]; }
  std::int64_t label_of(SampleId id) const override { return static_cast<std::int64_t>(id); }
  const SampleExtents* extents() const override { return this; }
  std::unique_ptr<SampleReader> reader(Runtime&) override { return nullptr; }
  std::uint32_t files() const noexcept override {
    return static_cast<std::uint32_t>(paths_.size());
  }
  std::string_view path(std::uint32_t file) const noexcept override { return paths_[file]; }
  int folder() const noexcept override { return AT_FDCWD; }
  Extent extent(SampleId id) const override { return extents_[id]; }
  StoredSample unwrap(SampleId id, std::span<const std::byte> stored, Scratch&, const Runtime&,
                      StepNumber, StageMeter&) const override {
    return {stored, label_of(id), names_[id]};
  }

 private:
  std::string folder_;
  std::vector<std::string> paths_, names_;
  std::vector<std::vector<std::byte>> bytes_;
  std::vector<Extent> extents_;
};

}  // namespace benchbench::test::storage
