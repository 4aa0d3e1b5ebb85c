// One writer per run folder.
#pragma once
#include <string>
#include <utility>

namespace benchbench {

// Holds the kernel's lock (flock) on `<folder>/lock`, with this process's id in the file; it goes when the
// process ends, however it ends. Throws StoreError "in use by process N".
class FolderLock {
 public:
  explicit FolderLock(const std::string& folder);
  FolderLock(FolderLock&& o) noexcept : fd_(std::exchange(o.fd_, -1)) {}
  FolderLock& operator=(FolderLock&&) = delete;
  ~FolderLock();
  static constexpr const char* kFile = "lock";

 private:
  int fd_ = -1;
};

}  // namespace benchbench
