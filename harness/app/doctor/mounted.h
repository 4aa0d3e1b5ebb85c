// The file system that data are on, and what it reads.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "harness/app/doctor/path_speed.h"

namespace benchbench {

struct Mount {
  std::string type;      // "nfs4", "fuse.sshfs"; "" if not known
  std::string source;    // "server:/export", "/dev/vda"
  bool network = false;  // what it holds comes over a network
};

// True if files of a file system that the mounts call so ("nfs4", "fuse.sshfs") come over a
// network.
bool is_over_network(std::string_view type);

// Returns the mount that `path`, which is there, is on; `table` is /proc/self/mountinfo but for
// tests.
Mount find_mount(const std::string& path, const std::string& table = "/proc/self/mountinfo");

// Evicts the largest files at `path`, a folder or a file, from the page cache and reads them, for
// about two seconds. Nothing is thrown.
PathSpeed measure_files(const std::string& path, Runtime& runtime);

}  // namespace benchbench
