#include "harness/trial/probes/cgroup_files.h"

#include <fstream>

namespace benchbench {
namespace {

namespace fs = std::filesystem;

// A line of /proc/self/cgroup: "5:cpu,cpuacct:/path", for v2 "0::/path".
struct Group {
  std::string controllers;  // ",cpu,cpuacct,"; ",," for v2
  std::string path;
};

std::vector<Group> groups_of(const fs::path& root) {
  std::vector<Group> groups;
  std::ifstream in(root / "proc/self/cgroup");
  for (std::string line; std::getline(in, line);) {
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (first == line.npos || second == line.npos) continue;
    groups.push_back(
        {"," + line.substr(first + 1, second - first - 1) + ",", line.substr(second + 1)});
  }
  return groups;
}

void add(std::vector<std::string>& paths, const fs::path& mount, const std::string& group,
         std::string_view file) {
  const fs::path own = mount / fs::path(group).relative_path() / file;
  paths.push_back(own.lexically_normal().string());
  const fs::path top = mount / file;
  if (top != own) paths.push_back(top.string());
}

}  // namespace

std::vector<std::string> cgroup_files(const fs::path& root, std::string_view file,
                                      std::string_view controller, std::string_view v1_file) {
  std::vector<std::string> paths;
  const fs::path mount = root / "sys/fs/cgroup";
  for (const Group& group : groups_of(root)) {
    const bool v2 = group.controllers == ",,";
    const bool v1 =
        !v2 && !v1_file.empty() &&
        group.controllers.find("," + std::string(controller) + ",") != std::string::npos;
    if (v2) {
      add(paths, mount, group.path, file);
      add(paths, mount / "unified", group.path, file);  // where both versions are mounted
    } else if (v1) {
      add(paths, mount / controller, group.path, v1_file);
    }
  }
  std::error_code failed;
  std::erase_if(paths, [&](const std::string& path) { return !fs::exists(path, failed); });
  return paths;
}

bool in_root_group(const std::string& file) {
  std::error_code failed;
  const fs::path folder = fs::path(file).parent_path();
  const bool v1 = fs::exists(folder / "tasks", failed);
  return v1 ? fs::exists(folder / "release_agent", failed)
            : !fs::exists(folder / "cgroup.type", failed);
}

}  // namespace benchbench
