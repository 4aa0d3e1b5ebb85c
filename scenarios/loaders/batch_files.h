// The stored bytes of the images of a batch, where a device is to decode them.
#pragma once
#include <algorithm>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "harness/part/batch.h"
#include "scenarios/loaders/busy.h"

namespace benchbench {

// The files of one slot. Their memory is kept and grows to what the largest batch takes. One thread
// at a time.
class BatchFiles {
 public:
  // A batch begins: what room() gave before is used again.
  void begin(std::size_t rows) {
    files_.assign(rows, {});
    chunk_ = used_ = 0;
  }
  // Stays where it is until the next batch begins.
  std::byte* room(std::size_t bytes) {
    while (chunk_ < chunks_.size() && chunks_[chunk_].size() - used_ < bytes) ++chunk_, used_ = 0;
    if (chunk_ == chunks_.size()) chunks_.emplace_back(std::max(bytes, kChunk));
    std::byte* const found = chunks_[chunk_].data() + used_;
    used_ += bytes;
    return found;
  }
  void put(std::size_t row, const EncodedFile& file) { files_[row] = file; }
  std::span<const EncodedFile> files() const noexcept { return files_; }

 private:
  static constexpr std::size_t kChunk = std::size_t{4} << 20;
  std::vector<std::vector<std::byte>> chunks_;
  std::size_t chunk_ = 0, used_ = 0;  // the one that is being filled
  std::vector<EncodedFile> files_;
};

// The files of all slots of a loader, by where their rows begin. Any thread.
class FilesOfSlots {
 public:
  BatchFiles& of(const std::byte* rows) {
    const Busy busy(busy_);
    return slots_[rows];
  }
  std::span<const EncodedFile> files(const std::byte* rows) const {
    const Busy busy(busy_);
    const auto found = slots_.find(rows);
    return found == slots_.end() ? std::span<const EncodedFile>() : found->second.files();
  }

 private:
  mutable std::atomic_flag busy_ = ATOMIC_FLAG_INIT;  // for a look into the map, once a batch
  std::map<const std::byte*, BatchFiles> slots_;      // an entry stays where it is
};

}  // namespace benchbench
