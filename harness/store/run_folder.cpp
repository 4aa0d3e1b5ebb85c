#include "harness/store/run_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>

#include "harness/core/error.h"
#include "harness/core/files/whole_file.h"
#include "harness/store/durable_file.h"
#include "harness/store/folder_lock.h"
#include "harness/store/hdf5_export.h"
#include "harness/store/journal_file.h"
#include "harness/store/sealed_line.h"
#include "harness/store/series_file.h"
#include "harness/store/stored_indices.h"
#include "harness/store/sync_pace.h"

namespace benchbench {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPlanFile = "plan.json", kEnvironmentFile = "environment.json",
                           kJournalFile = "journal.jsonl", kSeriesFolder = "series";
constexpr std::array<std::string_view, 6> kOwnNames{kPlanFile,     kEnvironmentFile,  kJournalFile,
                                                    kSeriesFolder, FolderLock::kFile, kHdf5File};

std::string plan_file(const std::string& folder) { return fmt::format("{}/{}", folder, kPlanFile); }
std::string environment_file(const std::string& folder) {
  return fmt::format("{}/{}", folder, kEnvironmentFile);
}
std::string journal_file(const std::string& folder) {
  return fmt::format("{}/{}", folder, kJournalFile);
}
std::string series_folder(const std::string& folder) {
  return fmt::format("{}/{}", folder, kSeriesFolder);
}

std::string whole_line(const std::string& path) {
  std::string text = read_whole(path);
  if (text.ends_with('\n')) text.pop_back();
  if (!is_whole(text))
    throw StoreError(fmt::format("{} is damaged: wrong checksum", path),
                     "the file was modified or the disk is failing; put a copy of it back");
  return text;
}

// It is put in place whole: what has no seal is a user's. An empty one has nothing to lose.
bool is_own_environment(const fs::directory_entry& entry) {
  std::error_code failed;
  if (!fs::is_regular_file(entry.symlink_status(failed))) return false;
  if (fs::is_empty(entry.path(), failed)) return true;
  try {
    whole_line(entry.path().string());
    return true;
  } catch (const StoreError&) {
    return false;
  }
}

// What a run leaves that was killed before its plan was in place: nothing of anybody's would be
// lost.
bool is_beginning(const fs::directory_entry& entry) {
  const std::string name = entry.path().filename().string();
  if (name == FolderLock::kFile)
    return !FolderLock::is_foreign(entry.path().parent_path().string());
  if (name == kEnvironmentFile) return is_own_environment(entry);
  if (name.ends_with(".json.tmp")) return true;
  std::error_code failed;
  return (name == kJournalFile || name == kSeriesFolder) && fs::is_empty(entry.path(), failed);
}

void require_empty(const std::string& folder) {
  std::error_code failed;
  fs::directory_iterator entries(folder, failed);
  if (failed) store_failed(failed.value(), folder, "list it");
  for (const auto& entry : entries) {
    if (is_beginning(entry)) continue;
    const bool is_run = fs::exists(plan_file(folder), failed);
    throw StoreError(is_run ? fmt::format("{} already contains a run", folder)
                            : fmt::format("{} is not empty (it contains {})", folder,
                                          entry.path().filename().string()),
                     is_run ? "continue it with --resume, or choose another folder with --out"
                            : "choose another folder with --out");
  }
}

// The folder in it, such as results/runs, whose plan was written last; empty where none is a run's.
std::string newest_run_in(const std::string& folder) {
  std::error_code failed;
  std::pair newest{fs::file_time_type::min(), std::string()};
  for (const auto& entry : fs::directory_iterator(folder, failed)) {
    const std::string path = entry.path().string();
    const auto written = fs::last_write_time(plan_file(path), failed);
    if (!failed) newest = std::max(newest, {written, path});
  }
  return newest.second;
}

// The folder is the user's word, so it is their error; a StoreError only where its entries cannot
// be looked at.
void require_run(const std::string& folder) {
  std::error_code failed;
  if (is_there(plan_file(folder))) return;
  if (!fs::exists(folder, failed))
    throw UsageError(fmt::format("there is no folder {}", folder),
                     "give the folder of one run, such as results/runs/<scenario>-<time>");
  if (!fs::is_directory(folder, failed))
    throw UsageError(fmt::format("{} is not a run folder", folder),
                     "a run folder contains plan.json and journal.jsonl");
  const std::string newest = newest_run_in(folder);
  throw UsageError(fmt::format("{} contains no run: no {}", folder, plan_file(folder)),
                   newest.empty()
                       ? "give the folder of one run, such as results/runs/<scenario>-<time>"
                       : fmt::format("give the folder of one run: the newest in it is {}", newest));
}

Plan read_plan(const std::string& folder) {
  try {
    Plan plan = plan_from_json(whole_line(plan_file(folder)));
    check_indices(plan);
    return plan;
  } catch (StoreError& e) {
    if (e.message().find(plan_file(folder)) == std::string_view::npos)
      e.add_context(plan_file(folder));
    throw;
  }
}

// A run killed between its plan and its first line may have no journal yet.
JournalText journal_text(const std::string& folder, const Plan& plan) {
  if (!is_there(journal_file(folder))) return {};
  JournalText text = read_journal(journal_file(folder));
  for (const TrialRecord& record : text.records) try {
      check_indices(record, plan);
    } catch (StoreError& e) {
      e.add_context(fmt::format("{}:{}", journal_file(folder), record.sequence + 1));
      throw;
    }
  return text;
}

// `last`: last_series() from before the journal was read, which may be written at the same time. A
// run that ended between a record's series and its line leaves one such record, not more.
void note_missing_lines(std::optional<std::uint64_t> last, Journal& journal) {
  const std::uint64_t lines = journal.records.size();
  if (!last || *last <= lines) return;
  const std::string end = lines == 0 ? "has no record" : fmt::format("ends after record {}", lines);
  journal.notes.push_back(
      fmt::format("journal.jsonl {}, but series/ has some of record {}: lines are missing at its "
                  "end, removed, lost with the power, or not copied or written yet",
                  end, *last + 1));
}

// Rates are in the records; without a series there is no picture of its steps, and no results.h5.
void note_absent_series(const std::string& folder, Journal& journal) {
  std::error_code failed;
  std::size_t all = 0, absent = 0;
  for (const TrialRecord& record : journal.records)
    for (const SeriesFile& series : record.series)
      ++all, absent += !fs::exists(folder + "/" + series.file, failed);
  if (absent > 0)
    journal.notes.push_back(
        fmt::format("{} of the {} files that series/ should have {} missing: rates are complete, "
                    "but results.h5 and pictures of steps need {}",
                    absent, all, absent == 1 ? "is" : "are", absent == 1 ? "it" : "them"));
}

}  // namespace

struct RunFolder::State {
  std::string path;
  FolderLock lock;
  DurableFile journal;
  std::uint64_t bytes;     // of the journal: whole lines only
  std::uint64_t sequence;  // of the next record
  SyncPace pace{SyncPace::Clock::now()};
  std::vector<std::string> unsynced_series;

  State(std::string folder, FolderLock held, DurableFile file, std::uint64_t whole,
        std::uint64_t next)
      : path(std::move(folder)),
        lock(std::move(held)),
        journal(std::move(file)),
        bytes(whole),
        sequence(next) {}
  State(const State&) = delete;
  ~State() {
    try {
      sync();
    } catch (const StoreError&) {
      // Whoever wants to know calls sync().
    }
  }
  // The journal is held open; all else is written by its path.
  void check_in_place() const {
    if (lock.is_elsewhere(path))
      throw StoreError(fmt::format("{} is not the folder any more that this run began in", path),
                       "another one was put in its place, which stays as it is; continue the run "
                       "where it was moved to, if it was, with --resume");
  }
  // Half a line on a full disk is taken back, so that the file ends with a whole one.
  void append(const std::string& line, bool later) {
    try {
      journal.write(line);
      pace.wrote();
      if (!later || pace.due(SyncPace::Clock::now())) sync();
    } catch (const StoreError&) {
      try {
        journal.cut(bytes);
      } catch (const StoreError&) {
        // Then --resume cuts it.
      }
      throw;
    }
    bytes += line.size();
    ++sequence;
  }
  // Series before the lines that name them.
  void sync() {
    if (!pace.waiting()) return;
    if (!unsynced_series.empty()) check_in_place();
    for (const std::string& file : unsynced_series)
      DurableFile::open_append(path + "/" + file).sync();
    if (!unsynced_series.empty()) sync_folder(series_folder(path));
    unsynced_series.clear();
    journal.sync();
    pace.synced(SyncPace::Clock::now());
  }
};

RunFolder::RunFolder(std::unique_ptr<State> state) : state_(std::move(state)) {}
RunFolder::RunFolder(RunFolder&&) noexcept = default;
RunFolder::~RunFolder() = default;
const std::string& RunFolder::path() const noexcept { return state_->path; }
void RunFolder::check_in_place() const { state_->check_in_place(); }

namespace {

// Nothing is written into what may be a folder of something else; a lock that is there may be held.
FolderLock lock_of_empty(const std::string& path) {
  std::error_code failed;
  if (!fs::exists(path + "/" + FolderLock::kFile, failed) || FolderLock::is_foreign(path))
    require_empty(path);
  FolderLock lock(path);
  require_empty(path);
  return lock;
}

}  // namespace

void RunFolder::refuse_used(const std::string& path) {
  std::error_code failed;
  if (fs::exists(path, failed)) lock_of_empty(path);
}

std::span<const std::string_view> RunFolder::own_names() { return kOwnNames; }

bool RunFolder::holds_run(const std::string& path) {
  std::error_code failed;
  return fs::exists(plan_file(path), failed) && fs::exists(journal_file(path), failed);
}

bool RunFolder::is_only_begun(const std::string& path) {
  std::error_code failed;
  fs::directory_iterator entries(path, failed);
  return !failed && std::all_of(begin(entries), end(entries), is_beginning);
}

RunFolder RunFolder::create(const std::string& path, const Plan& plan,
                            const Environment& environment) {
  make_folders(path);
  FolderLock lock = lock_of_empty(path);
  lock.sign();
  make_folders(series_folder(path));
  write_whole(environment_file(path), sealed(to_json(environment)));
  DurableFile journal = DurableFile::create(journal_file(path));
  write_whole(plan_file(path), sealed(to_json(plan)));  // last: a folder with a plan is a run
  return RunFolder(std::make_unique<State>(path, std::move(lock), std::move(journal), 0, 0));
}

RunFolder RunFolder::resume(const std::string& path, Journal& journal) {
  require_run(path);
  FolderLock lock(path);
  lock.sign();
  journal = {};
  journal.plan = read_plan(path);
  const std::optional<std::uint64_t> last = last_series(path);
  JournalText text = journal_text(path, journal.plan);
  DurableFile file = is_there(journal_file(path)) ? DurableFile::open_append(journal_file(path))
                                                  : DurableFile::create(journal_file(path));
  if (text.torn_bytes) {
    file.cut(text.good_bytes);
    file.sync();
    journal.notes.push_back(fmt::format(
        "an incomplete last line of {} bytes was removed from journal.jsonl", text.torn_bytes));
  }
  make_folders(series_folder(path));
  journal.records = std::move(text.records);
  note_missing_lines(last, journal);
  if (last) remove_series_from(path, journal.records.size());
  const std::uint64_t next = journal.records.size();
  return RunFolder(
      std::make_unique<State>(path, std::move(lock), std::move(file), text.good_bytes, next));
}

Journal RunFolder::read(const std::string& path) {
  require_run(path);
  Journal journal{read_plan(path), {}, {}};
  const std::optional<std::uint64_t> last = last_series(path);
  JournalText text = journal_text(path, journal.plan);
  journal.records = std::move(text.records);
  if (text.torn_bytes) {
    journal.notes.push_back(fmt::format(
        "the last {} bytes of journal.jsonl are an incomplete line and were ignored: the run was "
        "killed, lost power or is still writing",
        text.torn_bytes));
  }
  note_missing_lines(last, journal);
  note_absent_series(path, journal);
  return journal;
}

void RunFolder::append(TrialRecord& record) {
  state_->check_in_place();
  const bool later = record.facts.simulated;
  record.sequence = state_->sequence;
  record.series.clear();
  for (const auto& [name, values] : record.raw_series) {
    state_->check_in_place();
    record.series.push_back(write_series(state_->path, record.sequence, name, values, later));
    if (later) state_->unsynced_series.push_back(record.series.back().file);
  }
  if (!record.series.empty() && !later) sync_folder(series_folder(state_->path));
  state_->append(sealed(to_json(record)), later);
}

void RunFolder::replace(const Plan& plan, std::span<const TrialRecord> records) {
  state_->check_in_place();
  state_->sync();
  std::string lines;
  for (const TrialRecord& record : records) lines += sealed(to_json(record));
  write_whole(journal_file(state_->path), lines);
  state_->journal = DurableFile::open_append(journal_file(state_->path));
  state_->bytes = lines.size();
  state_->sequence = records.size();
  state_->check_in_place();
  remove_series_from(state_->path, records.size());
  write_whole(plan_file(state_->path), sealed(to_json(plan)));
}

void RunFolder::sync_if_due() {
  if (state_->pace.due(SyncPace::Clock::now())) state_->sync();
}

void RunFolder::sync() { state_->sync(); }

void RunFolder::export_hdf5() const {
  check_in_place();
  export_hdf5(state_->path);
}

void RunFolder::export_hdf5(const std::string& path, const PointColumns& points) {
  const Journal journal = read(path);
  write_hdf5(path, journal, points ? points(journal) : std::vector<StoredColumn>{});
}

}  // namespace benchbench
