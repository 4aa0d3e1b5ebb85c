#include "harness/app/wrap/folder_copy.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <map>
#include <system_error>
#include <vector>

#include "harness/app/tell.h"
#include "harness/core/error.h"
#include "harness/core/files/folder_paths.h"
#include "harness/core/units.h"

namespace benchbench {
namespace {

namespace fs = std::filesystem;

// What is in the folder: below it, a folder before what is in it.
struct Contents {
  std::vector<fs::directory_entry> entries;
  std::map<std::string, std::uint64_t> bytes_of;  // by the first part of the path
  std::uint64_t bytes = 0;
};

void ask(const FolderCopyLimits& limits) {
  if (limits.stop && limits.stop())
    throw InterruptedError("interrupted while the working directory was copied");
}

// The copy may come to lie within the folder, as in /tmp: what there is to copy is listed first.
Contents contents_of(const fs::path& folder, const FolderCopyLimits& limits) {
  Contents found;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    ask(limits);
    found.entries.push_back(entry);
    if (!entry.is_regular_file() || entry.is_symlink()) continue;
    const std::uint64_t bytes = entry.file_size();
    found.bytes += bytes;
    found.bytes_of[*entry.path().lexically_relative(folder).begin()] += bytes;
  }
  return found;
}

void refuse_large(const fs::path& folder, const Contents& found, std::uint64_t most) {
  if (found.bytes <= most) return;
  const auto largest =
      std::ranges::max_element(found.bytes_of, {}, [](const auto& each) { return each.second; });
  throw UsageError(fmt::format("--copy-cwd: {} has {}; at most {} is copied", folder.string(),
                               human_bytes(static_cast<double>(found.bytes)),
                               human_bytes(static_cast<double>(most))),
                   fmt::format("{} has {} of it: put it elsewhere and a symbolic link in its "
                               "place, which is copied as a link; or leave --copy-cwd out",
                               largest->first, human_bytes(static_cast<double>(largest->second))));
}

bool is_below(const fs::path& path, const fs::path& folder) {
  return *path.lexically_relative(folder).begin() != "..";
}

// What a link at `from` is to say in the copy.
fs::path target_in_copy(const fs::path& from, const fs::path& folder, const fs::path& copy) {
  const fs::path said = fs::read_symlink(from);
  // For an absolute link this is the right side alone.
  const fs::path whole = (from.parent_path() / said).lexically_normal();
  if (!is_below(whole, folder)) return whole;
  return said.is_relative() ? said : copy / whole.lexically_relative(folder);
}

void copy_one(const fs::directory_entry& entry, const fs::path& folder, const fs::path& copy) {
  const fs::path& from = entry.path();
  const fs::path to = copy / from.lexically_relative(folder);
  if (entry.is_symlink()) {
    fs::create_symlink(target_in_copy(from, folder, copy), to);
  } else if (entry.is_directory()) {
    fs::create_directory(to);
    // The folder is filled, and deleted in the end.
    fs::permissions(to, entry.status().permissions() | fs::perms::owner_all);
  } else if (entry.is_regular_file()) {
    fs::copy_file(from, to);
    fs::last_write_time(to, entry.last_write_time());  // that compiled Python goes by
  }
}

std::string new_folder() {
  std::string path = temporary_folder() + "/benchbench-copy-XXXXXX";
  if (!::mkdtemp(path.data()))
    throw fs::filesystem_error("cannot make a folder", path,
                               std::error_code(errno, std::generic_category()));
  return path;
}

void remove(const std::string& path) noexcept {
  std::error_code failed;
  fs::remove_all(path, failed);
  if (failed) tell("benchbench: the copy could not be deleted: {}: {}\n", path, failed.message());
}

}  // namespace

FolderCopy::FolderCopy(const std::string& folder, const FolderCopyLimits& limits) try {
  const fs::path from = fs::canonical(folder);
  const Contents found = contents_of(from, limits);
  refuse_large(from, found, limits.most_bytes);
  bytes_ = found.bytes;
  path_ = fs::canonical(new_folder()).string();
  try {
    for (const fs::directory_entry& entry : found.entries) {
      ask(limits);
      copy_one(entry, from, path_);
    }
  } catch (...) {
    remove(path_);
    throw;
  }
} catch (const fs::filesystem_error& e) {
  throw StoreError(fmt::format("--copy-cwd: {}: {}", e.path1().string(), e.code().message()),
                   "the copy is made below $TMPDIR, else /tmp");
}

FolderCopy::~FolderCopy() { remove(path_); }

}  // namespace benchbench
