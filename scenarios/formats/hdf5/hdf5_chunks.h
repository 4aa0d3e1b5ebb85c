// The stored bytes of chunks, past the library.
#pragma once
#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "harness/core/byte_span.h"
#include "harness/hdf5/chunk_finder.h"
#include "harness/hdf5/dataset.h"
#include "harness/part/sample_format.h"

namespace benchbench::hdf5_format {

// The chunks of one data set, numbered row-major. Any thread.
class Chunks {
 public:
  // The data set has been looked at: require_plain(), chunked. Nothing is looked up but where a few
  // chunks lie.
  Chunks(const std::string& path, const std::string& data_set, std::size_t element_bytes,
         std::uint64_t file_bytes);

  const std::vector<std::uint64_t>& extents() const noexcept { return finder_.extents(); }
  const std::vector<std::uint64_t>& chunk() const noexcept { return finder_.storage().chunk; }
  std::uint64_t along(std::size_t dimension) const noexcept { return finder_.along(dimension); }
  std::uint64_t bytes() const noexcept { return bytes_; }  // of one, inflated
  std::size_t element_bytes() const noexcept { return element_bytes_; }
  bool filtered() const noexcept { return !filters().empty(); }
  // False where a filter is not ours to undo (szip, scale-offset ...).
  bool readable() const noexcept;
  // A chunk holds one sample and nothing else, or several whole ones that no filter changed.
  bool sample_in_one_piece() const noexcept;

  // Where chunk `number` lies. Looked up at first use, then remembered. PartError where it was
  // never written.
  hdf5::ChunkPlace place(std::uint64_t number) const;
  // The chunk's elements, in `stored` or in `scratch`. PartError naming `name` where they are
  // damaged.
  ByteSpan undo_filters(ByteSpan stored, std::uint32_t skipped, Scratch& scratch,
                        std::string_view name) const;

 private:
  const std::vector<int>& filters() const noexcept { return finder_.storage().filters; }
  const std::string& name() const noexcept { return finder_.data().where(); }
  hdf5::ChunkPlace look_up(std::uint64_t number) const;
  std::size_t element_bytes_;
  std::uint64_t bytes_;
  hdf5::ChunkFinder finder_;
  std::optional<std::uint64_t> sequence_;
  struct Remembered {
    std::atomic<std::uint64_t> offset{0};
    std::atomic<std::uint64_t> bytes_and_skipped{0};  // 0: not looked up yet
  };
  std::unique_ptr<Remembered[]> remembered_;
};

}  // namespace benchbench::hdf5_format
