// One run's folder: plan.json, journal.jsonl (the truth), series/, results.h5 (made from both),
// lock. results/README.md defines the format.
#pragma once
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/record/trial_record.h"
#include "harness/store/hdf5_columns.h"

namespace benchbench {

struct Journal {
  Plan plan;
  std::vector<TrialRecord> records;
  std::vector<std::string> notes;  // "a torn last line of 312 bytes was cut"
};

class RunFolder {
 public:
  // Makes the folder (and parents) and takes its lock. StoreError: read-only, in use by process N,
  // not empty.
  static RunFolder create(const std::string& path, const Plan& plan,
                          const Environment& environment);
  // Throws as create() would where the folder is there and is in use or not empty. Makes nothing.
  static void refuse_used(const std::string& path);
  // True of a folder that is there and holds nothing, or what a run leaves that ended before its
  // plan was in place: create() begins in it. False of one that holds anything else.
  static bool is_only_begun(const std::string& path);
  // What the store keeps in a run's folder: nothing else is to be written there under these names.
  static std::span<const std::string_view> own_names();
  // Has a plan and a journal, whatever is in them.
  static bool holds_run(const std::string& path);
  // Opens one for --resume: takes the lock, cuts a torn tail, reads what is there.
  static RunFolder resume(const std::string& path, Journal& journal);
  // Reads without a lock and changes nothing: report, compare.
  static Journal read(const std::string& path);

  RunFolder(RunFolder&&) noexcept;
  ~RunFolder();
  const std::string& path() const noexcept;
  // Throws StoreError where path() leads to another folder by now, whose files are not this run's
  // to write. append(), replace() and export_hdf5() ask it first.
  void check_in_place() const;
  // Series first, then the line; both durable (fdatasync) when it returns, but of a trial in
  // virtual time: those are written at once, so that a killed process loses none, and synced once a
  // second, since thousands of them take less time than their syncs. A power cut costs the last
  // second, which can be had again. Fills record.sequence and record.series.
  void append(TrialRecord& record);
  // What has been appended, in the same order, with what became known since, and the plan. Series
  // of later records are removed, the others stay. Each of the two files is the old one or the new
  // one after a crash.
  void replace(const Plan& plan, std::span<const TrialRecord> records);
  // Syncs what append() left to be synced: where a second has passed since the last time; at any
  // rate. The end of a RunFolder does so too, and tells no one where that fails.
  void sync_if_due();
  void sync();
  // Builds results.h5 under a temporary name, reopens and counts it, renames.
  void export_hdf5() const;
  // `points`: what /points is to have, which the store cannot know.
  using PointColumns = std::function<std::vector<StoredColumn>(const Journal&)>;
  static void export_hdf5(const std::string& path, const PointColumns& points = {});

 private:
  struct State;
  explicit RunFolder(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace benchbench
