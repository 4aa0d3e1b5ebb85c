// Reads samples by where they lie, with pread, in the thread that asks.
#pragma once
#include <memory>
#include <vector>

#include "harness/part/sample_format.h"
#include "scenarios/storage/read_file.h"

namespace benchbench {

// One reader's open files: at most 32, so that many readers of many files stay below the limit of
// open files.
class ExtentFiles {
 public:
  // `extents` must outlive it.
  explicit ExtentFiles(const SampleExtents& extents);
  // Opens it unless it is open. PartError where it cannot be.
  const ReadFile& file(std::uint32_t number);

 private:
  struct OpenFile {
    ReadFile file;
    std::uint32_t number = 0;
  };
  const SampleExtents& extents_;
  std::vector<OpenFile> open_;
};

// A reader of an archive that finds its own way; the archive and the runtime outlive it.
template <class Archive>
class ReaderOf : public SampleReader {
 public:
  ReaderOf(const Archive& archive, const Runtime& runtime) : archive_(archive), runtime_(runtime) {}

 protected:
  const Archive& archive_;
  const Runtime& runtime_;
};

// Memory for payloads that are not stored as they are.
class GrowingScratch final : public Scratch {
 public:
  std::span<std::byte> room(std::size_t bytes) override { return buffer_.room(bytes); }

 private:
  ReadBuffer buffer_;
};

// `archive` has extents and outlives the reader.
std::unique_ptr<SampleReader> read_by_extents(const SampleArchive& archive, const Runtime& runtime);

}  // namespace benchbench
