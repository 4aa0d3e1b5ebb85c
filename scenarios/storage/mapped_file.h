// A file mapped into memory that may become shorter meanwhile.
#pragma once
#include <atomic>
#include <memory>
#include <optional>

#include "harness/core/byte_span.h"
#include "scenarios/storage/read_file.h"

namespace benchbench {

// Somebody else's mapping of a file, under the same care: a lost page reads as zeros. Any threads.
class MapGuard {
 public:
  // PartError where too many are guarded at once.
  explicit MapGuard(ByteSpan mapping);
  ~MapGuard();
  MapGuard(const MapGuard&) = delete;
  MapGuard& operator=(const MapGuard&) = delete;
  // True if a page between the bytes `begin` and `end` was lost so far.
  bool lost(std::uint64_t begin = 0, std::uint64_t end = ~std::uint64_t{0}) const noexcept;

 private:
  std::size_t place_;  // in the handler's table
};

// Whoever reads a mapped page that the file has no longer gets SIGBUS. Here it does not end the
// process: the handler puts a page of zeros in its place, notes where, and lets the reader go on;
// problem() then says that what was read means nothing. So: fetch(), use, problem(). Any threads.
class MappedFile {
 public:
  static constexpr std::size_t kSlack = 64;  // bytes behind the file's end that may be read

  // PartError where it cannot be opened or mapped.
  static std::unique_ptr<MappedFile> open(int folder, const char* path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  // When it was opened.
  std::uint64_t size() const noexcept { return file_.size(); }
  // The bytes, brought into memory in one go where they are not (any longer): fewer where the file
  // has become shorter. Waits for the device. PartError where it fails.
  ByteSpan fetch(std::uint64_t offset, std::size_t length);
  // Why the bytes were not all the file's own until now; "" where they were.
  std::string_view problem(std::uint64_t offset, std::size_t length) const noexcept;
  // Pages that are mapped cannot be evicted from the page cache: unmaps them, until they are
  // fetched again. Nobody is between fetch() and problem().
  void let_go() noexcept;

 private:
  MappedFile() = default;
  bool fetched(std::uint64_t first_page, std::uint64_t end_page) const noexcept;
  bool resident(std::uint64_t first_page, std::uint64_t end_page) const noexcept;
  void note_fetched(std::uint64_t first_page, std::uint64_t end_page) noexcept;
  bool populate(std::uint64_t first_page, std::uint64_t end_page);
  void touch(std::uint64_t first_page, std::uint64_t end_page) const noexcept;

  ReadFile file_;
  std::string path_;
  std::byte* base_ = nullptr;
  std::size_t room_ = 0;           // mapped: the file's pages and one of zeros behind them
  std::optional<MapGuard> guard_;  // of the file's pages
  std::unique_ptr<std::atomic<std::uint64_t>[]> fetched_;  // a bit a page
};

}  // namespace benchbench
