// Writing data sets: everything is written beside its place and renamed when whole.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "harness/core/byte_span.h"
#include "harness/core/descriptor.h"

namespace benchbench {

// A new file. Move-only, one thread. Every failure is a ScenarioError with the file's name and the
// system's words ("No space left on device"): what was asked for cannot be had here.
class WriteFile {
 public:
  WriteFile() = default;
  // Must not exist yet.
  static WriteFile create(const std::string& path);

  std::uint64_t size() const noexcept { return size_; }
  int descriptor() const noexcept { return descriptor_.get(); }
  void write(ByteSpan bytes);
  void write(std::string_view text) { write(std::as_bytes(std::span(text))); }
  void write_zeros(std::uint64_t count);
  // Over what is there already; size() stays.
  void write_at(std::uint64_t offset, std::string_view text);
  // Closes; with `sync`, after the bytes are on the device, so that no write-back falls into a
  // later measurement.
  void close(bool sync);

 private:
  Descriptor descriptor_;
  std::uint64_t size_ = 0;
  std::string path_;
};

// A place being made: work under beside(), then place() renames it to where it belongs. Dropped
// before that, what was written is removed. What an earlier attempt left is removed first.
class PendingPlace {
 public:
  // ScenarioError where something already lies at `path`, or its parent folder cannot be made.
  explicit PendingPlace(std::string_view path);
  PendingPlace(const PendingPlace&) = delete;
  PendingPlace& operator=(const PendingPlace&) = delete;
  ~PendingPlace();
  const std::string& path() const noexcept { return path_; }
  const std::string& beside() const noexcept { return partial_; }
  void place();
  // Throws what a writer that was given no sample must.
  [[noreturn]] void refuse_empty() const;

 private:
  std::string path_;
  std::string partial_;
  bool placed_ = false;
};

// Creates a folder and those above it. ScenarioError.
void make_data_folders(const std::string& path);
// Waits until all that was written to the file system of `folder` is on the device.
void sync_file_system(const std::string& folder);

}  // namespace benchbench
