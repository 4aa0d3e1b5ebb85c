#include "harness/core/files/program_path.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace benchbench {
namespace {

std::string variable(const char* name, const char* otherwise = "") {
  const char* value = std::getenv(name);
  return value ? value : otherwise;
}

}  // namespace

bool can_execute(const std::string& path) {
  std::error_code failed;
  return std::filesystem::is_regular_file(path, failed) && ::access(path.c_str(), X_OK) == 0;
}

std::string program_in_path(std::string_view name) {
  const std::string path = variable("PATH", "/bin:/usr/bin");
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t end = std::min(path.find(':', at), path.size());
    const std::string folder = path.substr(at, end - at);
    const std::string file = fmt::format("{}/{}", folder.empty() ? "." : folder, name);
    if (can_execute(file)) return file;
    at = end + 1;
  }
  return {};
}

std::string active_python() {
  if (const std::string environment = variable("VIRTUAL_ENV"); !environment.empty())
    if (const std::string path = environment + "/bin/python"; can_execute(path)) return path;
  return program_in_path("python3");
}

}  // namespace benchbench
