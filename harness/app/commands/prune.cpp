// `benchbench prune DIR`: deletes the folders of old runs; what a history keeps of them stays in
// its index.
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <filesystem>

#include "harness/app/command.h"
#include "harness/app/exit_code.h"
#include "harness/app/history/history_runs.h"
#include "harness/app/history/old_runs.h"
#include "harness/app/output_file.h"
#include "harness/config/history/history_file.h"
#include "harness/core/error.h"
#include "harness/core/files/whole_file.h"
#include "harness/core/units.h"
#include "harness/store/durable_file.h"
#include "harness/store/folder_lock.h"

namespace benchbench {
namespace {

namespace fs = std::filesystem;

constexpr Option kPruneOptions[] = {
    {"--keep", "AGE", "how old runs stay, by their recorded start: 90d, 12w", false},
    {"--keep-accepted", "", "runs of accepted nights stay, the baseline among them", false},
    {"--dry-run", "", "say what would be deleted, and delete nothing", false},
};

// In use, or not ours to delete: said, and left alone. What lies behind a link is never touched.
std::string why_not_deleted(const std::string& path) {
  std::error_code failed;
  if (fs::is_symlink(fs::symlink_status(path, failed))) return "it is a link";
  if (!is_run_folder(path)) return "it is not a run folder";
  try {
    FolderLock lock(path);
    lock.sign();
    fs::remove_all(path, failed);
    return failed ? failed.message() : "";
  } catch (const StoreError& e) {
    return e.what();
  }
}

std::string why_not_deletable(const std::string& path) {
  std::error_code failed;
  return fs::is_symlink(fs::symlink_status(path, failed)) ? "it is a link" : "";
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
  const std::string refused = !why_kept.empty() ? why_kept
                              : dry             ? why_not_deletable(path)
                                                : why_not_deleted(path);
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

int run_prune(const Arguments& arguments) {
  if (!arguments.flag("--keep")) throw UsageError("prune takes --keep AGE", "such as --keep 90d");
  const std::string folder = arguments.positional().at(0);
  const PruneRule rule{static_cast<std::int64_t>(std::time(nullptr)),
                       days_asked(arguments.text("--keep")), arguments.flag("--keep-accepted")};
  const bool dry = arguments.flag("--dry-run");
  std::error_code failed;
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
  for (const KeptRun& run : runs.kept.runs)
    if (const bool beside = fs::path(run.folder).filename() == run.folder && run.folder != ".." &&
                            run.folder != ".";
        !beside)
      out.text += fmt::format("kept {}: not the name of a folder\n", run.folder);
    else if (const std::string path = (fs::path(folder) / run.folder).string();
             fs::exists(fs::symlink_status(path, failed)))
      prune_run(out, path, why_kept(run, rule, written), dry);
  if (!dry) sync_folder(folder);
  out.text +=
      fmt::format("{} {}; kept: {} not older than {}, {} accepted, {} for other reasons\n",
                  counted(out.gone, "run"), dry ? "would be deleted" : "deleted", out.young,
                  counted(static_cast<std::uint64_t>(rule.days), "day"), out.accepted, out.refused);
  print_fitted(out.text);
  return kDone;
}

}  // namespace

const Command prune_command{"prune",
                            "data",
                            "delete the folders of old runs",
                            "DIR",
                            1,
                            1,
                            kPruneOptions,
                            "  benchbench prune results/runs --keep 90d --dry-run\n"
                            "  benchbench prune results/runs --keep 12w\n"
                            "  benchbench prune results/nightly --keep 90d --keep-accepted\n",
                            run_prune};

}  // namespace benchbench
