// Where this process's own control group keeps its numbers.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace benchbench {

// Paths to try for `file` of v2, and `v1_file` of the controller's hierarchy of v1 (none where
// empty), the own group first. Inside a container /proc/self/cgroup may name what only the host
// sees; the mount itself is then this container's group, so it comes last. Empty where
// /proc/self/cgroup cannot be read.
std::vector<std::string> cgroup_files(const std::filesystem::path& root, std::string_view file,
                                      std::string_view controller = {},
                                      std::string_view v1_file = {});

// Returns true for a file of the root group, which is the whole machine. A container sees a group
// of its own in the root's place. In v2 the root's folder has no type, in v1 it alone has an agent.
bool in_root_group(const std::string& file);
inline constexpr const char* kRootGroup =
    "this process is in the root cgroup, which is the whole machine";

}  // namespace benchbench
