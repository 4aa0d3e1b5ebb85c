// Where tests put their files: folders that no other test, process or run has.
#pragma once
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

namespace benchbench::test {

// Makes the folder PARENT/benchbench-NAME-xxxxxx, by default among the system's temporary files.
// The caller removes it.
inline std::string make_scratch_folder(
    const std::string& name,
    const std::filesystem::path& parent = std::filesystem::temp_directory_path()) {
  std::string path = (parent / ("benchbench-" + name + "-XXXXXX")).string();
  if (!::mkdtemp(path.data())) throw std::system_error(errno, std::generic_category(), path);
  return path;
}

}  // namespace benchbench::test
