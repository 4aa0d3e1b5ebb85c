// One writer per run folder.
#pragma once
#include <string>

#include "harness/core/descriptor.h"

namespace benchbench {

// Holds the kernel's lock (flock) on `<folder>/lock`, with this process's id in the file; it goes when the
// process ends, however it ends. Throws StoreError "in use by process N".
class FolderLock {
 public:
  explicit FolderLock(const std::string& folder);
  static constexpr const char* kFile = "lock";

 private:
  Descriptor file_;
};

}  // namespace benchbench
