// A file open for reading, and pread: what the engines (engine.h) are made of.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "harness/core/descriptor.h"

namespace benchbench {

// What a file was when it was looked at: tells whether something made from it still fits.
struct FileStamp {
  std::uint64_t size = 0;
  std::int64_t modified_ns = 0;  // since 1970
};

// A regular file open for reading. Move-only; read_at() may be called from several threads at once.
// Every failure is a PartError with the file's name and the system's words.
class ReadFile {
 public:
  ReadFile() = default;
  // `folder` is a descriptor that a relative `path` is looked up from.
  static ReadFile open(const char* path);
  // `more_flags` (O_DIRECT) are added to those of every open.
  static ReadFile open_at(int folder, const char* path, int more_flags = 0);
  // The same of a descriptor that was opened elsewhere with open_flags(); closes it, also where it
  // refuses it.
  static ReadFile adopt(int descriptor, const char* path);
  static int open_flags() noexcept;

  explicit operator bool() const noexcept { return bool(descriptor_); }
  std::uint64_t size() const noexcept { return stamp_.size; }
  FileStamp stamp() const noexcept { return stamp_; }
  int descriptor() const noexcept { return descriptor_.get(); }
  // As long as it is now; 0 where nobody can tell.
  std::uint64_t size_now() const noexcept;
  // Fills all of `into`; fewer bytes than asked for is an error ("short read").
  void read_at(std::uint64_t offset, std::span<std::byte> into, std::string_view name) const;
  // Fills `into` as far as the file goes: how many bytes there were.
  std::size_t read_some_at(std::uint64_t offset, std::span<std::byte> into,
                           std::string_view name) const;

 private:
  Descriptor descriptor_;
  FileStamp stamp_;
};

// The PartErrors of every engine: fewer bytes than asked for, and what the system refused ("open",
// "read").
[[noreturn]] void refuse_short(std::string_view name, std::uint64_t wanted, std::uint64_t offset,
                               std::uint64_t there);
[[noreturn]] void refuse_read(std::string_view name, std::string_view doing, int error);

// A buffer that only grows and is never cleared: one per reader, so that a sample costs no
// allocation once the largest has been seen.
class ReadBuffer {
 public:
  // `size` bytes, followed by at least `kSlack` that may be read but mean nothing.
  std::span<std::byte> room(std::size_t size);
  static constexpr std::size_t kSlack = 64;

 private:
  std::unique_ptr<std::byte[]> bytes_;
  std::size_t capacity_ = 0;
};

// A payload larger than 1 GiB is no image: PartError before memory is asked for.
std::size_t checked_length(std::uint64_t length, std::string_view name);

// A whole small file (a label, an index) as a string, at most `max` bytes of it.
std::string read_small_file(const std::string& path, std::uint64_t max);

}  // namespace benchbench
