// Files as the store writes them: all of it or an error that says what to do, and on the disk when
// it says so.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "harness/core/descriptor.h"

namespace benchbench {

// Throws the StoreError of `number` (an errno): "runs/x: cannot write journal.jsonl: No space left
// on device", with a hint where one helps.
[[noreturn]] void store_failed(int number, std::string_view path, std::string_view doing);

// An open descriptor. Move-only; every call that fails throws StoreError naming the path.
class DurableFile {
 public:
  // Neither follows a symbolic link.
  static DurableFile create(const std::string& path);       // empty, replaces
  static DurableFile open_append(const std::string& path);  // must be there
  std::uint64_t size() const;
  void write(std::span<const std::byte> bytes);
  void write(std::string_view text) { write(std::as_bytes(std::span(text))); }
  void sync();                   // fdatasync
  void begin_sync() noexcept;    // the disk may begin: a sync that comes later waits the less
  void cut(std::uint64_t size);  // ends the file there

 private:
  DurableFile(Descriptor file, std::string path) : file_(std::move(file)), path_(std::move(path)) {}
  Descriptor file_;
  std::string path_;
};

// Under a temporary name, synced, renamed, the folder synced: after a crash there is the old file,
// or the whole new one.
void write_whole(const std::string& path, std::string_view text);
// The same where several processes write at once, each under a temporary name of its own, which
// goes where that fails: the last one stays. For what is shared between runs, such as files of the
// cache folder.
void write_whole_shared(const std::string& path, std::string_view text);
// What is at `from` becomes `to`, durably; both in one folder.
void publish(const std::string& from, const std::string& to);
void sync_folder(const std::string& path);
void make_folders(const std::string& path);

}  // namespace benchbench
