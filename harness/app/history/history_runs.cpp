#include "harness/app/history/history_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <tuple>

#include "harness/analysis/history/kept_values.h"
#include "harness/core/contains.h"
#include "harness/core/error.h"
#include "harness/core/files/folder_paths.h"
#include "harness/core/spelling.h"
#include "harness/core/units.h"
#include "harness/store/history_index.h"
#include "harness/store/run_folder.h"

namespace benchbench {
namespace {

namespace fs = std::filesystem;

// The bytes of a run's journal and its time in ns; zeros where it has none.
using JournalStamp = std::pair<std::uint64_t, std::int64_t>;

JournalStamp stamp_of(const std::string& run) {
  std::error_code failed;
  const std::string journal = run + "/journal.jsonl";
  const auto bytes = fs::file_size(journal, failed);
  if (failed) return {};
  const auto time = fs::last_write_time(journal, failed).time_since_epoch();
  return {bytes, std::chrono::duration_cast<std::chrono::nanoseconds>(time).count()};
}

std::string name_of_folder(const std::string& path) {
  const fs::path normal = absolute_path(path).lexically_normal();
  return (normal.has_filename() ? normal : normal.parent_path()).filename().string();
}

// Returns why a run without a record has none.
std::string why_no_record(const Plan& plan) {
  const bool skipped = !plan.trials.empty() && std::ranges::all_of(plan.trials, [](const Trial& t) {
    return t.skip.has_value();
  });
  return skipped ? "ran nothing, since all of its trials were SKIPPED, and"
                 : "has no record yet and";
}

// `stamp`: from before the journal was read, so that what is added meanwhile is read the next time.
KeptOfRun kept_of_run(const std::string& path, const Journal& journal, const JournalStamp& stamp) {
  KeptOfRun out = kept_of(journal.plan, journal.records);
  out.run.folder = name_of_folder(path);
  std::tie(out.run.journal_bytes, out.run.journal_time_ns) = stamp;
  return out;
}

std::vector<std::string> runs_in(const std::string& folder) {
  std::vector<std::string> out;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(folder, failed))
    if (is_run_folder(entry.path().string())) out.push_back(entry.path().string());
  std::ranges::sort(out);
  return out;
}

// An older version kept neither a series' settings nor why a night has no value.
bool lacks_something(const KeptValue& value, const KeptHistory& kept) {
  const KeptSeries* series = find_value(kept.series, value.series);
  return !series || series->settings.empty() || (value.median == 0 && value.reason.empty());
}

bool is_kept_as_it_is(const KeptRun& run, const KeptHistory& kept, const std::string& path) {
  return stamp_of(path) == JournalStamp{run.journal_bytes, run.journal_time_ns} &&
         std::ranges::none_of(run.values,
                              [&](const KeptValue& v) { return lacks_something(v, kept); });
}

// Returns the run's series that are not kept as they are.
std::map<std::string, KeptSeries> new_series(const KeptOfRun& run, const KeptHistory& kept) {
  std::map<std::string, KeptSeries> out;
  for (const auto& [digest, series] : run.series)
    if (const KeptSeries* known = find_value(kept.series, digest); !known || *known != series)
      out.emplace(digest, series);
  return out;
}

class Gatherer {
 public:
  explicit Gatherer(bool write_index) : write_index_(write_index) {}

  void add_run(const std::string& path) {
    if (auto read = try_read(path)) {
      merge(read->series);
      out_.kept.runs.push_back(std::move(read->run));
    }
  }

  void add_folder(const std::string& folder) {
    const std::string path = (fs::path(folder) / kHistoryIndex).string();
    HistoryIndex index = read_history_index(path);
    if (index.damaged)
      out_.notes.push_back(fmt::format("{} of {} could not be read and {} replaced from the stores",
                                       counted(index.damaged, "line"), path,
                                       index.damaged == 1 ? "is" : "are"));
    const KeptHistory fresh = refresh(index.kept, folder);
    keep_index(path, index, fresh);
    merge(index.kept.series);
    for (KeptRun& run : index.kept.runs)
      if (!run.started_at.empty()) out_.kept.runs.push_back(std::move(run));
  }

  HistoryRuns gathered() && { return std::move(out_); }

 private:
  // Reads what the index does not have as it is now; into the index too. Returns what was read.
  KeptHistory refresh(KeptHistory& kept, const std::string& folder) {
    std::map<std::string, std::size_t> places;
    for (std::size_t i = 0; i < kept.runs.size(); ++i) places[kept.runs[i].folder] = i;
    KeptHistory fresh;
    for (const std::string& run : runs_in(folder)) {
      const auto at = places.find(name_of_folder(run));
      if (at != places.end() && is_kept_as_it_is(kept.runs[at->second], kept, run)) continue;
      auto read = try_read(run);
      if (!read) continue;
      fresh.series.merge(new_series(*read, kept));
      fresh.runs.push_back(read->run);
      if (at == places.end())
        kept.runs.push_back(std::move(read->run));
      else
        kept.runs[at->second] = std::move(read->run);
    }
    for (const auto& [digest, series] : fresh.series) kept.series.insert_or_assign(digest, series);
    return fresh;
  }

  // The history is told without an index too.
  void keep_index(const std::string& path, const HistoryIndex& index, const KeptHistory& fresh) {
    if (!write_index_) return;
    try {
      if (index.damaged)
        write_history_index(path, index.kept);
      else if (!fresh.runs.empty())
        append_history_index(path, fresh);
    } catch (const StoreError& e) {
      out_.index_problem = e.what();
    }
  }

  std::optional<KeptOfRun> try_read(const std::string& path) {
    ++out_.read;
    try {
      const JournalStamp stamp = stamp_of(path);
      const Journal journal = RunFolder::read(path);
      KeptOfRun read = kept_of_run(path, journal, stamp);
      if (read.run.started_at.empty())
        out_.notes.push_back(fmt::format("{} {} is left out", path, why_no_record(journal.plan)));
      if (!read.run.started_at.empty()) return read;
    } catch (const Error& e) {
      out_.notes.push_back(fmt::format("{} is left out: {}", path, e.what()));
    }
    return std::nullopt;
  }

  void merge(const std::map<std::string, KeptSeries>& series) {
    for (const auto& [digest, s] : series) out_.kept.series.insert_or_assign(digest, s);
  }

  const bool write_index_;
  HistoryRuns out_;
};

void require_folder(const std::string& folder) {
  std::error_code failed;
  if (!fs::is_directory(folder, failed))
    throw UsageError(fmt::format("there is no folder {}", folder),
                     "give a folder of run folders, such as results/runs, or run folders");
}

}  // namespace

bool is_run_folder(const std::string& path) {
  std::error_code failed;
  return fs::is_directory(path, failed) && fs::is_regular_file(path + "/plan.json", failed);
}

std::string history_place(const std::vector<std::string>& folders) {
  const fs::path first = absolute_path(folders.front()).lexically_normal();
  const fs::path folder = first.has_filename() ? first : first.parent_path();
  return is_run_folder(folders.front()) ? folder.parent_path().string() : folders.front();
}

HistoryRuns history_runs(const std::vector<std::string>& folders, bool write_index) {
  Gatherer gatherer(write_index);
  for (const std::string& folder : folders) {
    require_folder(folder);
    if (is_run_folder(folder))
      gatherer.add_run(folder);
    else
      gatherer.add_folder(folder);
  }
  HistoryRuns out = std::move(gatherer).gathered();
  if (out.kept.runs.empty())
    throw UsageError(fmt::format("there is no run to tell a history of in {}{}", listed(folders),
                                 out.notes.empty() ? "" : ": " + out.notes.front()),
                     "a run folder contains plan.json and journal.jsonl: benchbench run makes one");
  return out;
}

}  // namespace benchbench
