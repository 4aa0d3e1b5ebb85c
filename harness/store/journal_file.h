// journal.jsonl: read whole, or appended to a line at a time.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "harness/record/trial_record.h"

namespace benchbench {

struct JournalText {
  std::vector<TrialRecord> records;
  std::uint64_t good_bytes = 0;  // up to the end of the last whole line
  std::uint64_t torn_bytes = 0;  // behind it: a line that was being written when the writer ended
};

// Throws StoreError naming the line where one is damaged, other than a last one that was cut off,
// or one is missing.
JournalText read_journal(const std::string& path);

}  // namespace benchbench
