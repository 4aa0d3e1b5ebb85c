#include "harness/core/kernel_files.h"

#include <linux/magic.h>
#include <sys/vfs.h>

#include "harness/core/contains.h"

namespace benchbench {

bool is_of_kernel(const std::string& path) noexcept {
  constexpr unsigned long kinds[] = {
      PROC_SUPER_MAGIC, SYSFS_MAGIC,      CGROUP_SUPER_MAGIC, CGROUP2_SUPER_MAGIC, DEBUGFS_MAGIC,
      TRACEFS_MAGIC,    SECURITYFS_MAGIC, DEVPTS_SUPER_MAGIC, PSTOREFS_MAGIC,      BPF_FS_MAGIC};
  struct statfs found{};
  return ::statfs(path.c_str(), &found) == 0 &&
         contains(kinds, static_cast<unsigned long>(found.f_type));
}

}  // namespace benchbench
