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

// The root group is the whole machine: it has no type. Of v2, by the folder that one of its files
// lies in.
bool in_root_group(const std::string& file);

}  // namespace benchbench
