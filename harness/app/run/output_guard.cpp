#include "harness/app/run/output_guard.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "harness/app/output_file.h"
#include "harness/app/preparation/run_place.h"
#include "harness/app/require/require_records.h"
#include "harness/app/tune/script_search_file.h"
#include "harness/app/tune/tune_asked_file.h"
#include "harness/core/contains.h"
#include "harness/core/error.h"
#include "harness/store/run_folder.h"

namespace benchbench {
namespace {

namespace fs = std::filesystem;

struct NamedOutput {
  std::string_view option;
  std::string path;
};

// Absolute, without links as far as it exists, without a slash at its end.
fs::path place_of(const std::string& path) {
  std::error_code failed;
  const fs::path whole = fs::absolute(path, failed);
  const fs::path place = fs::weakly_canonical(whole, failed);
  const fs::path found = failed ? whole.lexically_normal() : place;
  return found.has_filename() ? found : found.parent_path();
}

bool is_same_file(const std::string& one, const std::string& other) {
  std::error_code failed;
  return place_of(one) == place_of(other) || fs::equivalent(one, other, failed);  // hard links, too
}

std::vector<NamedOutput> files_among(const Arguments& arguments,
                                     const std::vector<std::string_view>& names) {
  std::vector<NamedOutput> files;
  for (const std::string_view name : names) {
    std::string path = arguments.text(name);
    std::error_code failed;
    const bool is_file = !fs::exists(path, failed) || fs::is_regular_file(path, failed);
    if (!path.empty() && path != "-" && is_file) files.push_back({name, std::move(path)});
  }
  return files;
}

bool is_kept_there(const std::string& name) {
  return contains(RunFolder::own_names(), name) || name == kTuneFile || name == kRequireFile ||
         name == kSearchFolder;
}

// The file itself, or in a folder of the store's such as series/.
bool is_of_run(const std::string& path, const std::vector<fs::path>& folders) {
  fs::path below = place_of(path);
  for (fs::path folder = below.parent_path(); folder != below;
       below = folder, folder = below.parent_path()) {
    const bool is_run = contains(folders, folder) || RunFolder::holds_run(folder.string());
    if (is_run && is_kept_there(below.filename().string())) return true;
  }
  return false;
}

// Whether the folder that it is to lie in is there, or is made for the run: one of `folders`, or
// above the usual place of runs.
bool has_folder(const std::string& path, const std::vector<fs::path>& folders) {
  std::error_code failed;
  const fs::path parent = place_of(path).parent_path();
  const auto is_below = [](const fs::path& place, const fs::path& above) {
    return std::mismatch(above.begin(), above.end(), place.begin(), place.end()).first ==
           above.end();
  };
  return fs::exists(parent, failed) || failed || is_below(place_of(std::string(kRuns)), parent) ||
         std::ranges::any_of(folders,
                             [&](const fs::path& folder) { return is_below(folder, parent); });
}

bool is_link_into(const std::string& path, const fs::path& folder) {
  return std::ranges::any_of(RunFolder::own_names(), [&](std::string_view name) {
    return is_same_file(path, (folder / name).string());
  });
}

}  // namespace

void check_output_files(const Arguments& arguments, const std::vector<std::string_view>& names,
                        const OutputGuard& guard) {
  const std::vector<NamedOutput> files = files_among(arguments, names);
  std::vector<fs::path> folders;
  for (const std::string& folder : guard.folders) folders.push_back(place_of(folder));
  for (auto file = files.begin(); file != files.end(); ++file) {
    const auto& [option, path] = *file;
    if (std::ranges::any_of(guard.scenarios, [&](const std::string& scenario) {
          return is_same_file(path, scenario);
        }))
      throw UsageError(fmt::format("{} {} is the scenario", option, path),
                       "give the output another name");
    if (is_of_run(path, folders) || std::ranges::any_of(folders, [&](const fs::path& folder) {
          return is_link_into(path, folder);
        }))
      throw UsageError(fmt::format("{} {} is a file of the run", option, path),
                       "give the output another name");
    if (!has_folder(path, folders)) output_failed(path, ENOENT);  // not after minutes of measuring
    const auto other = std::find_if(
        files.begin(), file, [&](const NamedOutput& o) { return is_same_file(o.path, path); });
    if (other != file)
      throw UsageError(fmt::format("{} and {} both name {}", other->option, option, other->path),
                       "give each output a file of its own");
  }
}

}  // namespace benchbench
