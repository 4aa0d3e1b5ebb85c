#include "harness/core/files/folder_paths.h"

#include <fmt/format.h>

#include <cstdlib>
#include <initializer_list>
#include <system_error>
#include <utility>

#include "harness/core/error.h"

namespace benchbench {
namespace {

// The variables that temp_directory_path() goes by, which names none in its error.
std::string temporary_as_set() {
  for (const char* variable : {"TMPDIR", "TMP", "TEMP", "TEMPDIR"})
    if (const char* folder = std::getenv(variable)) return folder;
  return "/tmp";
}

}  // namespace

std::filesystem::path absolute_path(const std::string& path) {
  std::error_code failed;
  const std::filesystem::path whole = std::filesystem::absolute(path, failed);
  if (failed)
    throw StoreError(
        fmt::format("{}: the working directory cannot be found: {}", path, failed.message()),
        "change into a folder that is there");
  return whole;
}

std::filesystem::path nearest_folder(const std::string& path) {
  std::filesystem::path at = absolute_path(path).lexically_normal();
  std::error_code ignored;
  while (!std::filesystem::is_directory(at, ignored) && at != at.root_path()) at = at.parent_path();
  return at;
}

std::string users_cache_folder() {
  constexpr std::pair<const char*, const char*> kPlaces[] = {
      {"BENCHBENCH_CACHE", ""}, {"XDG_CACHE_HOME", "/benchbench"}, {"HOME", "/.cache/benchbench"}};
  for (const auto& [variable, below] : kPlaces)
    if (const char* value = std::getenv(variable); value && *value)
      return std::string(value) + below;
  return {};
}

std::string temporary_folder() {
  std::error_code failed;
  const std::filesystem::path folder = std::filesystem::temp_directory_path(failed);
  if (failed)
    throw StoreError(fmt::format("the folder for temporary files, {}, cannot be used: {}",
                                 temporary_as_set(), failed.message()),
                     "set TMPDIR to a folder that can be written");
  return folder.string();
}

}  // namespace benchbench
