// One writer per run folder.
#pragma once
#include <string>

#include "harness/core/descriptor.h"

namespace benchbench {

// Holds the kernel's lock (flock) on `<folder>/lock`, which goes when the process ends, however it
// ends. Throws StoreError "in use by process N".
class FolderLock {
 public:
  // What is in the file stays: it may be a user's.
  explicit FolderLock(const std::string& folder);
  // This process's id into the file.
  void sign();
  static constexpr const char* kFile = "lock";
  // A lock is there that no sign() wrote: ours is empty or has a process's id.
  static bool is_foreign(const std::string& folder);
  // `folder` leads to another folder than the one that is locked. False where it leads nowhere:
  // whoever writes there is told.
  bool is_elsewhere(const std::string& folder) const;

 private:
  Descriptor folder_;  // held, so that its number is no other folder's meanwhile
  Descriptor file_;
};

}  // namespace benchbench
