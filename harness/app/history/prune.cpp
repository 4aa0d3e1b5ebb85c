#include "harness/app/history/prune.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "harness/app/history/history_runs.h"
#include "harness/config/history_file.h"
#include "harness/core/error.h"
#include "harness/core/files/whole_file.h"
#include "harness/core/units.h"
#include "harness/store/durable_file.h"
#include "harness/store/folder_lock.h"

namespace benchbench {
namespace {

namespace fs = std::filesystem;

// Deletes the folder, unless it is in use, or not ours to delete. What lies behind a link is never
// touched. Returns why it was not deleted.
std::string delete_run(const std::string& path, bool dry) {
  std::error_code failed;
  if (fs::is_symlink(fs::symlink_status(path, failed))) return "it is a link";
  if (!is_run_folder(path)) return "it is not a run folder";
  if (dry) return "";
  try {
    FolderLock lock(path);
    lock.sign();
    fs::remove_all(path, failed);
    return failed ? failed.message() : "";
  } catch (const StoreError& e) {
    return e.what();
  }
}

struct Pruned {
  std::string text;
  std::size_t gone = 0, young = 0, accepted = 0, refused = 0;
};

void prune_run(Pruned& out, const std::string& path, const std::string& why_kept, bool dry) {
  if (why_kept == "young") return void(++out.young);
  if (why_kept == "accepted") {
    ++out.accepted;
    out.text += fmt::format("kept {}: its night is accepted\n", path);
    return;
  }
  const std::string refused = why_kept.empty() ? delete_run(path, dry) : why_kept;
  ++(refused.empty() ? out.gone : out.refused);
  out.text += refused.empty() ? fmt::format("{} {}\n", dry ? "would delete" : "deleted", path)
                              : fmt::format("kept {}: {}\n", path, refused);
}

// The night that scripts/nightly compares with: its name in a file.
void add_baseline(HistoryNotes& written, const std::string& folder) {
  std::error_code failed;
  const std::string file = (fs::path(folder) / "baseline").string();
  if (!fs::is_regular_file(file, failed)) return;
  std::string night = read_whole(file, kMostOfASmallFile);
  night.erase(std::min(night.find('\n'), night.size()));
  if (!night.empty()) written.accepted.push_back({"", night, ""});
}

std::string last_line(const Pruned& pruned, const PruneRule& rule, bool dry) {
  return fmt::format("{} {}; kept: {} not older than {}, {} accepted, {} for other reasons\n",
                     counted(pruned.gone, "run"), dry ? "would be deleted" : "deleted",
                     pruned.young, counted(static_cast<std::uint64_t>(rule.days), "day"),
                     pruned.accepted, pruned.refused);
}

bool is_name(const std::string& run) {
  return fs::path(run).filename() == run && run != ".." && run != ".";
}

}  // namespace

std::string prune_runs(const std::string& folder, const PruneRule& rule, bool dry) {
  if (is_run_folder(folder))
    throw UsageError(fmt::format("{} is a run folder", folder),
                     "give the folder that contains run folders");
  HistoryNotes written = read_history_notes((fs::path(folder) / kHistoryFile).string());
  add_baseline(written, folder);
  const HistoryRuns runs = history_runs({folder}, !dry);
  if (!runs.index_problem.empty())
    throw StoreError(fmt::format(
        "nothing was deleted: what a history keeps could not be written: {}", runs.index_problem));
  Pruned out;
  for (const std::string& note : runs.notes) out.text += fmt::format("note: {}\n", note);
  for (const KeptRun& run : runs.kept.runs) {
    std::error_code failed;
    const std::string path = (fs::path(folder) / run.folder).string();
    if (!is_name(run.folder))
      out.text += fmt::format("kept {}: not the name of a folder\n", run.folder);
    else if (fs::exists(fs::symlink_status(path, failed)))
      prune_run(out, path, why_kept(run, rule, written), dry);
  }
  if (!dry) sync_folder(folder);
  return out.text + last_line(out, rule, dry);
}

}  // namespace benchbench
