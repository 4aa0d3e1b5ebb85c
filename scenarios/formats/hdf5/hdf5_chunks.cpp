#include "scenarios/formats/hdf5/hdf5_chunks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "harness/core/error.h"
#include "scenarios/formats/deflate.h"

namespace benchbench::hdf5_format {
namespace {

using hdf5::Storage;

// The library's byte shuffle: first all lowest bytes, then all second ones.
void unshuffle(ByteSpan from, std::size_t element, std::span<std::byte> to) {
  const std::size_t count = to.size() / element;
  for (std::size_t byte = 0; byte < element; ++byte) {
    const std::byte* source = from.data() + byte * count;
    std::byte* target = to.data() + byte;
    for (std::size_t i = 0; i < count; ++i) target[i * element] = source[i];
  }
  std::memcpy(to.data() + count * element, from.data() + count * element,
              to.size() - count * element);
}

std::uint64_t times(std::uint64_t a, std::uint64_t b, const std::string& name) {
  std::uint64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product) || product > (1ull << 40))
    throw ScenarioError(fmt::format("{}: the size or number of its chunks is not plausible", name));
  return product;
}

}  // namespace

Chunks::Chunks(const std::string& path, const std::string& data_set, std::size_t element_bytes,
               std::uint64_t file_bytes)
    : element_bytes_(element_bytes),
      bytes_(element_bytes),
      finder_(path, data_set, ErrorKind::part) {
  std::uint64_t chunks = 1;
  for (std::size_t i = 0; i < extents().size(); ++i) {
    bytes_ = times(bytes_, chunk()[i], name());
    chunks = times(chunks, along(i), name());
  }
  if (chunks > file_bytes)
    throw ScenarioError(fmt::format("{}: {} chunks in a file of {} bytes: most were never written",
                                    name(), chunks, file_bytes));
  if (bytes_ > (1ull << 30))
    throw ScenarioError(fmt::format("{}: chunks of {} bytes (limit 1 GiB)", name(), bytes_));
  sequence_ = finder_.sequence_offset();
  if (!sequence_) remembered_ = std::make_unique<Remembered[]>(chunks);
}

// Deflate, with the bytes shuffled before it or not: what h5py's compression="gzip", shuffle=True
// writes.
bool Chunks::readable() const noexcept {
  const auto is_ours = [](int filter) {
    return filter == Storage::kDeflate || filter == Storage::kShuffle;
  };
  if (filters().size() < 2) return std::ranges::all_of(filters(), is_ours);
  return filters() == std::vector{Storage::kShuffle, Storage::kDeflate};
}

bool Chunks::sample_in_one_piece() const noexcept {
  for (std::size_t i = 1; i < chunk().size(); ++i)
    if (chunk()[i] != extents()[i]) return false;
  return chunk()[0] == 1 || !filtered();
}

hdf5::ChunkPlace Chunks::look_up(std::uint64_t number) const try {
  const auto found = finder_.find(number);
  if (!found)
    throw PartError(
        fmt::format("{}: chunk {} was never written, or its index is damaged", name(), number));
  if (found->bytes == 0 || found->bytes > 0xFFFFFFFF || (!filtered() && found->bytes != bytes_))
    throw PartError(fmt::format("{}: chunk {} has {} bytes", name(), number, found->bytes));
  return *found;
} catch (const hdf5::Hdf5Error& error) {
  throw PartError(error.message(), error.hint());
}

hdf5::ChunkPlace Chunks::place(std::uint64_t number) const {
  if (sequence_) return {*sequence_ + number * bytes_, bytes_, 0};
  Remembered& known = remembered_[number];
  // Two threads that look the same chunk up find the same.
  if (const std::uint64_t both = known.bytes_and_skipped.load(std::memory_order_acquire)) {
    return {known.offset.load(std::memory_order_relaxed), both & 0xFFFFFFFF,
            static_cast<std::uint32_t>(both >> 32)};
  }
  const hdf5::ChunkPlace found = look_up(number);
  known.offset.store(found.offset, std::memory_order_relaxed);
  known.bytes_and_skipped.store(found.bytes | std::uint64_t{found.skipped_filters} << 32,
                                std::memory_order_release);
  return found;
}

ByteSpan Chunks::undo_filters(ByteSpan stored, std::uint32_t skipped, Scratch& scratch,
                              std::string_view name) const {
  if (!filtered()) return stored;
  const bool deflated =
      filters().back() == Storage::kDeflate && !(skipped >> (filters().size() - 1) & 1);
  const bool shuffled =
      filters().front() == Storage::kShuffle && !(skipped & 1) && element_bytes_ > 1;
  const std::span<std::byte> room = scratch.room((shuffled ? 2 : 1) * bytes_);
  ByteSpan elements = stored;
  if (deflated) {
    if (!inflate(Deflated::zlib, stored, room.first(bytes_)))
      throw PartError(
          fmt::format("the compressed chunk of '{}' is damaged, or is not {} bytes", name, bytes_));
    elements = room.first(bytes_);
  }
  if (elements.size() != bytes_)
    throw PartError(
        fmt::format("the chunk of '{}' has {} bytes instead of {}", name, elements.size(), bytes_));
  if (!shuffled) return elements;
  const std::span<std::byte> plain = room.subspan(bytes_, bytes_);
  unshuffle(elements, element_bytes_, plain);
  return plain;
}

}  // namespace benchbench::hdf5_format
