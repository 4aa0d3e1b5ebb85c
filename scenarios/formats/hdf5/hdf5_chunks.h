// The stored bytes of chunks, past the library.
#pragma once
#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "harness/hdf5/chunk_finder.h"
#include "harness/hdf5/dataset.h"
#include "harness/part/sample_format.h"

namespace benchbench::hdf5_format {

// The chunks of one data set, numbered row-major. Any thread.
class Chunks {
 public:
  // `data` has been looked at: require_plain(), chunked. Nothing is looked up but where a few
  // chunks lie.
  Chunks(const std::string& path, const std::string& name, const hdf5::Dataset& data,
         std::size_t element_bytes, std::uint64_t file_bytes);

  const std::vector<std::uint64_t>& extents() const noexcept { return extents_; }
  const std::vector<std::uint64_t>& chunk() const noexcept { return chunk_; }
  std::uint64_t along(std::size_t dimension) const noexcept {  // chunks there
    return (extents_[dimension] + chunk_[dimension] - 1) / chunk_[dimension];
  }
  std::uint64_t bytes() const noexcept { return bytes_; }  // of one, inflated
  std::size_t element_bytes() const noexcept { return element_bytes_; }
  bool filtered() const noexcept { return !filters_.empty(); }
  // False where a filter is not ours to undo (szip, scale-offset ...).
  bool readable() const noexcept { return readable_; }
  // A chunk holds one sample and nothing else, or several whole ones that no filter changed.
  bool sample_in_one_piece() const noexcept;

  // Where chunk `number` lies. Looked up at first use, then remembered. PartError where it was
  // never written.
  hdf5::ChunkPlace place(std::uint64_t number) const;
  // The chunk's elements, in `stored` or in `scratch`. PartError naming `name` where they are
  // damaged.
  std::span<const std::byte> undo_filters(std::span<const std::byte> stored, std::uint32_t skipped,
                                          Scratch& scratch, std::string_view name) const;

 private:
  std::optional<hdf5::ChunkPlace> look_up(std::span<const std::uint64_t> corner) const;
  std::vector<std::uint64_t> extents_, chunk_;
  std::vector<int> filters_;
  std::size_t element_bytes_;
  std::uint64_t bytes_ = 1;
  std::uint64_t chunks_ = 1;
  bool readable_ = true;
  std::string name_;
  hdf5::ChunkFinder finder_;
  std::optional<std::uint64_t> sequence_;
  struct Remembered {
    std::atomic<std::uint64_t> offset{0};
    std::atomic<std::uint64_t> bytes_and_skipped{0};  // 0: not looked up yet
  };
  std::unique_ptr<Remembered[]> remembered_;
};

}  // namespace benchbench::hdf5_format
