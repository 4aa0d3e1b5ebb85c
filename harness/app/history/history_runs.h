// The runs of `benchbench history DIR...`, from the index where it has them, else from their
// stores.
#pragma once
#include <string>
#include <vector>

#include "harness/record/kept_run.h"

namespace benchbench {

struct HistoryRuns {
  KeptHistory kept;
  std::vector<std::string> notes;  // what was left out, and why
  std::size_t read = 0;  // stores that were read, since the index did not have them as they are
  std::string index_problem;  // why the index could not be written; empty: it was
};

// Each of `folders` is a run folder, or a folder of run folders beside which history.index.jsonl is
// kept. Runs that are in the index and no longer on the disk count on. A store that cannot be read
// is left out with a note. UsageError where a folder is not there, or where there is no run in any
// of them.
// With `write_index` false the index is read only.
HistoryRuns history_runs(const std::vector<std::string>& folders, bool write_index = true);
bool is_run_folder(const std::string& path);
// Where history.yaml of these is: the first one, of a run folder the folder around it.
std::string history_place(const std::vector<std::string>& folders);

}  // namespace benchbench
