// A scratch copy of a folder: what runs in it changes nothing of the folder's own.
#pragma once
#include <cstdint>
#include <functional>
#include <string>

namespace benchbench {

struct FolderCopyLimits {
  std::uint64_t most_bytes = 1ull << 30;
  std::function<bool()> stop = nullptr;  // asked between files; empty: never
};

// Among the temporary files; its destructor deletes it, and says so where it cannot. Links stay
// links: one that leads into the folder leads into the copy, any other where it led before.
// Sockets, pipes and devices are left out.
class FolderCopy {
 public:
  // UsageError where there is more than the limit, naming the largest part; StoreError where it
  // cannot be read or written; InterruptedError on `stop`.
  FolderCopy(const std::string& folder, const FolderCopyLimits& limits);
  ~FolderCopy();
  FolderCopy(const FolderCopy&) = delete;
  FolderCopy& operator=(const FolderCopy&) = delete;

  const std::string& path() const noexcept { return path_; }
  std::uint64_t bytes() const noexcept { return bytes_; }

 private:
  std::string path_;
  std::uint64_t bytes_ = 0;
};

}  // namespace benchbench
